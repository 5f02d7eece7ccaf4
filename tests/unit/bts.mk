# SPDX-License-Identifier: MIT
$(foreach test,intel_bts_test intel_bts_switch_test intel_bts_entry_test,\
	$(eval $(test)_SRCS += tests/unit/bts_rig.c) \
	$(eval build/host/tests/$(test): tests/unit/bts_rig.c tests/unit/bts_rig.h))
