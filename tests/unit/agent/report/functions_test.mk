# SPDX-License-Identifier: MIT
functions_test_SRCS := agent/report/functions.c
report_test_SRCS := agent/report/functions.c agent/report/hottest.c agent/report/report.c lib/print.c \
	tests/unit/host-tools/region_fixture.c
