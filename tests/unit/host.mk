# SPDX-License-Identifier: MIT
# Tests of the host's tools that need a region to read.
HOST_FIXTURE := region_test session_test aux_drain_test aux_tsan_test mailbox_test reader_process_plain_test dump_test check_test region_fuzz region_live_fuzz perf_data_fuzz
$(foreach test,$(HOST_FIXTURE),$(eval $(test)_SRCS += tests/unit/region_fixture.c))
