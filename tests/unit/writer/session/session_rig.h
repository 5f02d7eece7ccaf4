/* SPDX-License-Identifier: MIT */
/* A session over a fixture's region: rings on one side, a file on the other. */
#ifndef TESTS_UNIT_SESSION_RIG_H
#define TESTS_UNIT_SESSION_RIG_H

#include <limits.h>

#include "tests/unit/host-tools/region/channel_rig.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "writer/session/session.h"

/* The test program's only ones: the region is the fixture's, and path the file's. */
extern struct fixture fixture;
extern struct channel channel;
extern struct region region;
extern struct session session;
extern struct error error;
extern char path[PATH_MAX];

/* Begin a session on the fixture, which is there already. server: NULL, or whose doorbells it
 * rings. */
void session_rig_begin(struct ivshmem_server *server);

/* Give everything back, the fixture included, and remove the file. */
void session_rig_end(void);

/* Write the rings' records to the file and give the room back. A ring that cannot be read is
 * reported by session.trouble. */
void session_rig_drain(void);

/* Compare the session's counts with the file's, counted anew. */
void session_rig_recount(void);

#endif
