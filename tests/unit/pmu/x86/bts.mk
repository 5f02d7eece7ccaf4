# SPDX-License-Identifier: MIT
$(foreach test,intel_bts_test intel_bts_switch_test intel_bts_entry_test,\
	$(eval $(test)_SRCS += tests/unit/pmu/x86/bts_rig.c) \
	$(eval build/host/tests/$(test): tests/unit/pmu/x86/bts_rig.c tests/unit/pmu/x86/bts_rig.h))
