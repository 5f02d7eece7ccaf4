# SPDX-License-Identifier: MIT
selftest_judge_test_SRCS := agent/selftest_judge.c agent/selftest_judge_time.c \
	agent/selftest_report.c lib/print.c
selftest_report_test_SRCS := agent/selftest_report.c lib/print.c
