/* SPDX-License-Identifier: MIT */
#include "host-tools/session/session_host.h"

#include "host-tools/ledger/recount.h"
#include "host-tools/perfdata/perf_output_file.h"
#include "host-tools/session/images.h"
#include "host-tools/util/journal.h"

const struct writer_host session_host = {
	.output = &perf_output_file,
	.journal_open = session_journal_open,
	.journal_save = session_journal_save,
	.journal_keep = session_journal_keep,
	.journal_append = journal_append,
	.journal_appended = journal_appended,
	.journal_remove = journal_remove,
	.journal_close = session_journal_close,
	.images_find = images_find,
	.images_cache = images_cache,
	.recount = recount_file,
};
