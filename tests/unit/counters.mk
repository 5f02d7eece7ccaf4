# SPDX-License-Identifier: MIT
# Tests of counter drivers share a rig, and those of Intel's a model.
$(foreach test,intel_pmu_test intel_pmu_cpus_test amd_pmu_test,\
	$(eval $(test)_SRCS += tests/unit/counter_rig.c) \
	$(eval build/host/tests/$(test): tests/unit/counter_rig.h))
$(foreach test,intel_pmu_test intel_pmu_cpus_test,$(eval $(test)_SRCS += tests/unit/intel_model.c))
