# SPDX-License-Identifier: MIT
record_tick_test_SRCS := agent/record_tick.c agent/record_ledger.c agent/mailbox.c \
	tests/unit/host-tools/region_fixture.c
