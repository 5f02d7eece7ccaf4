/* SPDX-License-Identifier: MIT */
/* A session over a fixture's region: rings as input, a file as output. */
#ifndef TESTS_UNIT_SESSION_RIG_H
#define TESTS_UNIT_SESSION_RIG_H

#include <limits.h>

#include "tests/unit/host-tools/region/channel_rig.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "writer/session/session.h"

/* The only ones in the test program: the region is the fixture's, and path the file's. */
extern struct fixture fixture;
extern struct channel channel;
extern struct region region;
extern struct session session;
extern struct error error;
extern char path[PATH_MAX];

/* Begin a session on the fixture, which the test has made before. server: the ivshmem server that
 * gets the session's doorbells, or NULL. */
void session_rig_begin(struct ivshmem_server *server);

/* Free everything, the fixture included, and remove the file. */
void session_rig_end(void);

/* Write the rings' records to the file and free their room. session.trouble reports a ring that
 * cannot be read. */
void session_rig_drain(void);

/* Compare the session's counts with those of the file, counted again. */
void session_rig_recount(void);

#endif
