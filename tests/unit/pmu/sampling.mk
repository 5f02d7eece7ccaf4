# SPDX-License-Identifier: MIT
$(foreach test,sampling_test throttle_test event_test,$(eval $(test)_SRCS += tests/unit/pmu/sampling_rig.c))
