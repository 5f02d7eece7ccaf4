/* SPDX-License-Identifier: MIT */
/* A balanced ledger, which tests then make unbalanced. */
#ifndef TESTS_UNIT_HOST_TOOLS_LEDGER_CHECK_RIG_H
#define TESTS_UNIT_HOST_TOOLS_LEDGER_CHECK_RIG_H

#include <stdbool.h>

#include "host-tools/ledger/check.h"
#include "tests/unit/host-tools/region_fixture.h"

/* Lines of the balanced one: 4 events of 4, 2 more of a branch trace, 2 rings of 6. */
#define CHECK_LINES (4 * 4 + 2 + 2 * 6)

extern struct ledger ledger; /* the ledger of the fixture's two rings and four events */
extern struct error error;

/* Balance it: two rings with AUX areas, two events each, some lost records; event 0 traces
 * branches, and each ring has its own doorbell. */
void check_rig_balance(void);

/* Before and after each test; a test begins with a balanced ledger. */
int check_rig_setup(void **state);
int check_rig_teardown(void **state);

struct heard {
	unsigned lines, wrong;
	char last_wrong[512];
};

/* A check_fn: counts the lines, and keeps the last violated one. context: a struct heard. */
void check_rig_hear(void *context, bool holds, const char *line);

#endif
