# SPDX-License-Identifier: MIT
# Mutants of the sources against their unit tests, and tests that take hours (docs/tests.md).
UNIT_VARIANT = $(if $(filter $(1),$(UNIT_TSAN)),tsan,$(if $(filter $(1),$(UNIT_PLAIN)),plain,asan))
define MUTATE_FACTS
HOST_CFLAGS	$(HOST_CFLAGS)
HOST_LIBS	$(HOST_LIBS)
LIB_SRCS	$(HOST_SRCS) $(TARGET_SRCS)
plain	
asan	$(ASAN)
tsan	$(TSAN)
$(foreach test,$(UNIT),
TEST	$(filter %/$(notdir $(test)).c,$(UNIT_SRCS))	$(call UNIT_VARIANT,$(test))	$($(notdir $(test))_CFLAGS)	$($(notdir $(test))_SRCS)	$($(notdir $(test))_LIBS))
endef
mutate-facts:
	$(info $(MUTATE_FACTS))@:

# The library's sources include generated files, and are linked with libraries built in the cache.
MUTATE_NEEDS := $(PFM)/lib/libpfm.a build/host/page.html
mutate-sample = $(if $(MUTATE_SAMPLE),--sample $(call quoted,$(MUTATE_SAMPLE)))
# Without MUTATE a random sample of all files; with MUTATE all mutants of these files, unless the
# user chooses.
MUTATE_SAMPLE = $(if $(MUTATE),,4)
mutate: deps		## small faults in the sources against their unit tests; MUTATE=pattern, MUTATE_SAMPLE=N a file
	@$(MAKE) $(PARALLEL) $(MUTATE_NEEDS)
	@tests/mutate/mutate $(mutate-sample) $(call quoted,$(MUTATE))

.PHONY: mutate mutate-facts

# Seconds for each fuzzer; number of runs of tests that depend on chance: threads, processes, random
# seeds, the host's scheduler.
SOAK_FUZZ_SECONDS := 900
SOAK_TIMES := 20
SOAK_TESTS := unit/ring_property_test unit/ring_aux_property_test unit/ring_tsan_test \
	unit/aux_tsan_test unit/clock_sync_tsan_test unit/mailbox_test unit/output_test \
	unit/reader_process_plain_test unit/session_test unit/ivshmem_server_test e2e/wakeup_test \
	e2e/bts_stop_test e2e/cpus_test e2e/nmi_test e2e/output_test e2e/reader_test
# Recordings per boot, of a waiting machine and of a firmware's shell, and the number of readers
# that are killed.
SOAK_RECORDINGS := 100
SOAK_KILLS := 50
SOAK_MOMENTS := 30
SOAK_RESIDENT := 100
SOAK_BOOTS := 100
# Taken branches through an AUX area of 64 KiB.
SOAK_BRANCHES := 20000000
# Tests with rows that repeat another ISA's claims, which `make check` leaves out.
SOAK_REPEATS := e2e/remote_test e2e/gdb_test e2e/payload_programs_test e2e/screen_test e2e/secure_boot_test \
	e2e/optimize_test e2e/optimize_sqlite_test e2e/optimize_uefi_test e2e/services_test

soak: deps		## hours: longer fuzzing, what chance has a part in again and again, all mutants
	+@$(images)
	@$(MAKE) $(PARALLEL) tests
	@$(model)
	@FUZZ_SECONDS=$(SOAK_FUZZ_SECONDS) tests/check fuzz/
	@SOAK=1 tests/check $(SOAK_REPEATS)
	@SOAK=1 RECORDINGS=$(SOAK_RECORDINGS) KILLS=$(SOAK_KILLS) tests/check e2e/remote_test \
		e2e/serial_test e2e/gdb_test
	@BRANCHES=$(SOAK_BRANCHES) tests/check e2e/lossless_test
	@MOMENTS=$(SOAK_MOMENTS) tests/check e2e/volume_test
	@ROWS=all tests/check e2e/machines_test
	@RESIDENT_TIMES=$(SOAK_RESIDENT) tests/check e2e/resident_test
	@MOMENTS=$(SOAK_MOMENTS) tests/check e2e/crash_store_test
	@EVERYTHING=1 tests/check e2e/dist_test
	@UEFI_BOOTS=$(SOAK_BOOTS) tests/check e2e/uefi_boot_test
	@$(MAKE) check-debian13
	@tests/e2e/uefi/main_list.py
	@tests/debian13 env ROWS=all make check
	@for time in $$(seq $(SOAK_TIMES)); do \
		echo "$$time of $(SOAK_TIMES)"; tests/check $(SOAK_TESTS) || exit 1; done
	@$(MAKE) $(PARALLEL) $(MUTATE_NEEDS)
	@tests/mutate/mutate --again $(call quoted,$(MUTATE))

.PHONY: soak
