# SPDX-License-Identifier: MIT
# Tests of counter drivers share a rig, and those of a maker's a model.
INTEL_TESTS := x86_tick_test intel_pmu_test intel_interrupt_test intel_pmu_cpus_test x86_assignment_test
$(foreach test,$(INTEL_TESTS) amd_pmu_test arm_pmuv3_test arm_pmuv3_cpus_test,\
	$(eval $(test)_SRCS += tests/unit/pmu/counter_rig.c) \
	$(eval build/host/tests/$(test): tests/unit/pmu/counter_rig.h))
$(foreach test,$(INTEL_TESTS),$(eval $(test)_SRCS += tests/unit/pmu/x86/intel_model.c))
$(foreach test,arm_pmuv3_test arm_pmuv3_cpus_test,$(eval $(test)_SRCS += tests/unit/pmu/arm/arm_pmuv3_model.c))
