# SPDX-License-Identifier: MIT
$(foreach test,sampling_test throttle_test event_test,$(eval $(test)_SRCS += tests/unit/pmu/sampling_rig.c))
$(foreach test,context_test context_rate_test context_pause_test,$(eval $(test)_SRCS += tests/unit/pmu/context_rig.c))
