# SPDX-License-Identifier: MIT
record_tick_test_SRCS := agent/record/record_tick.c agent/record/record_ledger.c agent/input/mailbox.c \
	tests/unit/host-tools/region_fixture.c
