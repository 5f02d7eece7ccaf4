# SPDX-License-Identifier: MIT
# ---- Tests: `NAME_CFLAGS`, `NAME_SRCS` and `NAME_LIBS` in tests/*/*.mk, for those that need more ----

# gcc's warnings about instrumented code are false; the plain build has none
SUSPECTS := -Wno-stringop-overread -Wno-stringop-overflow -Wno-maybe-uninitialized
ASAN := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all $(SUSPECTS)
# gcc warns that tsan does not know bare fences; the tests rely on the atomics around them
TSAN := -O1 -fsanitize=thread -Wno-tsan $(SUSPECTS)
FUZZ := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
$(eval $(call variant,asan,gcc,$(ASAN)))
$(eval $(call variant,tsan,gcc,$(TSAN)))
$(eval $(call variant,fuzz,clang,$(FUZZ)))

include $(shell find tests/*/ -name '*.mk')
UNIT_SRCS := $(shell find tests/unit -name '*_test.c')
UNIT := $(addprefix build/host/tests/,$(notdir $(UNIT_SRCS:.c=)))
# SANITIZERS=no: without them tests compile and run in a third of the time (e2e/debian13_test).
SANITIZERS := yes
SANITIZED := build/host/sanitizers-$(SANITIZERS)
UNIT_TSAN := $(filter %_tsan_test,$(UNIT))
UNIT_PLAIN := $(filter %_plain_test,$(UNIT))
ifeq ($(SANITIZERS),no)
UNIT_TSAN :=
UNIT_PLAIN := $(UNIT)
endif
FUZZERS := $(patsubst tests/fuzz/%.c,build/host/fuzzers/%,$(wildcard tests/fuzz/*_fuzz.c))
BENCHES := $(patsubst tests/bench/%.c,build/host/bench/%,$(wildcard tests/bench/*.c))

libraries = $(addprefix build/host/$(1)/,libtarget.a libbareperf.a)
# $(1) = compiler and its flags; of the prerequisites NAME.c is the source, the last the libraries.
# -MMD would keep the last source's headers only; the sources are prerequisites by their rule, and
# named here they would stop make once they move.
link-test = mkdir -p $(@D) && $(1) $(HOST_CFLAGS) $($*_CFLAGS) -MM -MP -MT $@ $(test-sources) | \
	sed -E 's/[^ ]+\.c( |$$)/\1/' >$@.d && \
	$(1) $(HOST_CFLAGS) $($*_CFLAGS) -o $@ $(test-sources) $(filter %.a,$^) $($*_LIBS) $(HOST_LIBS)
test-sources = $(filter %/$*.c,$^) $($*_SRCS)

unit-source = $(filter %/$(1).c,$(UNIT_SRCS))
.SECONDEXPANSION:
$(UNIT_TSAN): build/host/tests/%: $$(call unit-source,$$*) $$($$*_SRCS) $(call libraries,tsan) Makefile
	$(call say,TEST,$@)
	$(Q)$(call link-test,gcc $(TSAN)) -lcmocka
$(UNIT_PLAIN): build/host/tests/%: $$(call unit-source,$$*) $$($$*_SRCS) $(call libraries,plain) Makefile
	$(call say,TEST,$@)
	$(Q)$(call link-test,gcc) -lcmocka
$(filter-out $(UNIT_TSAN) $(UNIT_PLAIN),$(UNIT)): build/host/tests/%: $$(call unit-source,$$*) $$($$*_SRCS) $(call libraries,asan) Makefile
	$(call say,TEST,$@)
	$(Q)$(call link-test,gcc $(ASAN)) -lcmocka
$(FUZZERS): build/host/fuzzers/%: tests/fuzz/%.c $$($$*_SRCS) $(call libraries,fuzz) Makefile
	$(call say,FUZZ,$@)
	$(Q)$(call link-test,clang $(FUZZ) -fsanitize=fuzzer)
$(BENCHES): build/host/bench/%: tests/bench/%.c $$($$*_SRCS) $(call libraries,plain) Makefile
	$(call say,BENCH,$@)
	$(Q)$(call link-test,gcc)

# Compile the tests of the other kind again.
$(SANITIZED):
	$(Q)rm -f build/host/sanitizers-*
	$(Q)touch $@
$(UNIT): $(SANITIZED)

tests: host $(UNIT) $(FUZZERS)
	@:
unit-tests: host $(UNIT)
	@:
benches: host $(BENCHES)
	@:

# ---- Running them ----

# The hardware model is built before the tests' clocks run; 77: its source cannot be had.
model = tests/qemu/build.sh >/dev/null || [ $$? -eq 77 ]

check: deps		## every test; CHECK='pattern|pattern' selects some
	+@$(images)
	+@$(images-c++)
	@$(MAKE) $(PARALLEL) tests
	@$(model)
	@tests/check $(call quoted,$(CHECK))

# Other tests that depend on the compiler, QEMU, firmware, perf and packages; `make check` runs some rows of the
# first
DEBIAN13_TESTS := e2e/machines_test|e2e/usb_image_test|e2e/uefi_shell_test|e2e/uefi_test|e2e/serial_test|e2e/deb_test|$\
	e2e/perf_versions_test|firmware/machine_test
check-debian13:		## all of e2e/debian13_test, lint, and more tests in that Debian 13
	@deps/install packaging/deps.txt
	@DEBIAN13_JOBS=$(shell nproc) DEBIAN13_TESTS='$(DEBIAN13_TESTS)' tests/check e2e/debian13_test

check-model: deps	## only the hardware model that other tests use: QEMU with our patches; MODEL_VERSION=10.0: Debian 13's QEMU
	@$(model)
	@tests/check qemu/check-model

bench: deps		## the figures that we promise; BENCH=pattern selects some of them
	@deps/install tests/bench/deps.txt
	+@$(images)
	@$(MAKE) $(PARALLEL) benches
	@tests/bench/run $(call quoted,$(BENCH))
