# SPDX-License-Identifier: MIT
$(foreach test,arm_spe_test arm_spe_buffer_test,$(eval $(test)_SRCS += tests/unit/pmu/arm/arm_spe_rig.c))
