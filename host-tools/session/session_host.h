/* SPDX-License-Identifier: MIT */
/* The host tool's side of the writer: files, a journal, and ELF files. Context: a thread. */
#ifndef HOST_TOOLS_SESSION_SESSION_HOST_H
#define HOST_TOOLS_SESSION_SESSION_HOST_H

#include "writer/host.h"

extern const struct writer_host session_host;

/* The operations of session_host that session_journal.c implements (writer/host.h). */
int session_journal_open(struct session *session, struct error *error);
void session_journal_save(struct session *session);
bool session_journal_keep(struct session *session);
void session_journal_close(struct journal *journal);

#endif
