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
UNIT_TSAN := $(filter %_tsan_test,$(UNIT))
UNIT_PLAIN := $(filter %_plain_test,$(UNIT))
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

tests: host $(UNIT) $(FUZZERS)
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

# The main list, and other tests that depend on compiler, QEMU and firmware
DEBIAN13_TESTS := unit/*|e2e/machines_test|e2e/usb_image_test|e2e/uefi_shell_test|e2e/serial_test
check-debian13:		## in a clean Debian 13: build, unit tests, the main list on QEMU 10
	@deps/install packaging/deps.txt
	@tests/debian13 make debian13-run || [ $$? -eq 77 ]
debian13-run:
	+@$(images)
	@$(MAKE) $(PARALLEL) tests FUZZERS= # which want clang
	@tests/check '$(DEBIAN13_TESTS)'
	build/host/bareperf run --arch x86_64 $(EXACT) -- selftest

check-model: deps	## only the hardware model that other tests use: QEMU with our patches
	@$(model)
	@tests/check qemu/check-model

bench: deps		## the figures that we promise; BENCH=pattern selects some of them
	@deps/install tests/bench/deps.txt
	+@$(images)
	@$(MAKE) $(PARALLEL) benches
	@tests/bench/run $(call quoted,$(BENCH))
