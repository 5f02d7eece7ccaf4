# SPDX-License-Identifier: MIT
selftest_judge_test_SRCS := agent/selftest/selftest_judge.c agent/selftest/selftest_judge_time.c \
	agent/selftest/selftest_report.c lib/print.c
selftest_report_test_SRCS := agent/selftest/selftest_report.c lib/print.c
