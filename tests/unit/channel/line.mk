# SPDX-License-Identifier: MIT
$(foreach test,line_test lines_test line_fuzz,$(eval $(test)_SRCS += tests/unit/channel/line_rig.c))
lines_test_SRCS += tests/unit/lib/uart/uart_model.c
line_fuzz_LIBS := -lcmocka
build/host/tests/line_test build/host/tests/lines_test build/host/fuzzers/line_fuzz: tests/unit/channel/line_rig.h
