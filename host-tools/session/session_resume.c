/* SPDX-License-Identifier: MIT */
/*
 * Resuming the session of a process that has ended:
 *
 *	file	header, records ................. up to the journal's size: kept; the rest is cut
 * off ring	tail in the machine ≤ tail in the journal ≤ head: read on from the journal's
 *
 * Everything before the journal's tail is in the file, and nothing behind it.
 */
#include "writer/session/session.h"

int session_resume(struct session *session, const struct region *region,
                   const struct session_options *options, struct error *error)
{
	int code = session_prepare(session, region, options, error);
	uint64_t file_size = 0;

	if (!code)
		code = perf_writer_reopen(&session->writer, options->output, error);
	if (!code) {
		session_begin_rings(session);
		code = session_journal_resume(session, &file_size, error);
	}
	if (!code)
		code = perf_writer_cut(&session->writer, file_size, error);
	if (code)
		session_end(session);
	else
		session_restore(session);
	return code;
}
