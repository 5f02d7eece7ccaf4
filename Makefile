# SPDX-License-Identifier: MIT
# bareperf. `make help` lists the targets.
#
# build/$(ARCH)/	the firmware image: bareperf.efi (PE), bareperf.elf (with DWARF),
#			bareperf.sym (function symbols and build-id, for perf)
# build/host/		the host tool bareperf, the tests
# Sources are found by wildcard: a new file needs no line here.

ARCH := x86_64
ARCHES := x86_64 aarch64
VERSION := 0.1.0

ifeq ($(filter $(ARCH),$(ARCHES)),)
$(error ARCH=$(ARCH): there are $(ARCHES))
endif
ifneq ($(V),1)
Q := @
MAKEFLAGS += --no-print-directory
say = @printf '  %-8s %s\n' $(1) $(2)
endif

WARNINGS := -Wall -Wextra -Werror -Wundef -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wvla -Wformat=2
COMMON := -std=gnu11 -O2 -g -I. $(WARNINGS) -DBAREPERF_VERSION='"$(VERSION)"'
# which headers an output depends on
DEPFILE = -MMD -MP -MT $@ -MF $@.d

all: firmware host	## the firmware image of ARCH and the host tool

# ---- Firmware ----

CROSS_x86_64 :=
CROSS_aarch64 := aarch64-linux-gnu-
ISA_x86_64 := -mno-red-zone -DGNU_EFI_USE_MS_ABI
ISA_aarch64 := -mno-outline-atomics
PE_MACHINE_x86_64 := 0x8664
PE_MACHINE_aarch64 := 0xaa64
EFI_x86_64 := /usr
EFI_aarch64 := $(shell deps/gnu-efi-aarch64 --path)

CROSS := $(CROSS_$(ARCH))
NEWLIB := $(shell deps/newlib --path $(ARCH))
EFI := $(EFI_$(ARCH))
OUT := build/$(ARCH)

# -nostdinc: the host's libc headers must not be found by accident. Frame pointers everywhere and
# no sibling calls, because backtraces are the product.
FW_CFLAGS := $(COMMON) -ffreestanding -fpie -fvisibility=hidden -fno-stack-protector \
	-fno-asynchronous-unwind-tables -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	-fno-optimize-sibling-calls -fno-delete-null-pointer-checks -Wstack-usage=4096 $(ISA_$(ARCH)) \
	-Iarch/$(ARCH)/include -nostdinc -isystem $(NEWLIB)/include \
	-isystem $(shell $(CROSS)gcc -print-file-name=include)
# UEFI's strings have 16-bit characters; only what talks to UEFI sees its headers.
EFI_CFLAGS := -fshort-wchar -isystem $(EFI)/include/efi -isystem $(EFI)/include/efi/$(ARCH)

# What reads commands and events as text, for the firmware and for the host tool
PARSERS := agent/parse/*.c pmu/parse/*.c
FW_SRCS := $(wildcard boot/*.c lib/*.c agent/*.c arch/$(ARCH)/*.c arch/$(ARCH)/*.S pmu/*.c pmu/x86/*.c \
	pmu/arm/*.c pmu/software/*.c ringbuf/*.c channel/*.c workload/*.c $(PARSERS))
FW_OBJS := $(FW_SRCS:%=$(OUT)/obj/%.o)

# Handlers must not touch vector registers, which nobody saves; only workloads may.
$(OUT)/obj/%.o: EXTRA = -mgeneral-regs-only
$(OUT)/obj/workload/%.o: EXTRA =
$(OUT)/obj/boot/%.o $(OUT)/obj/lib/%.o $(OUT)/obj/agent/%.o $(OUT)/obj/channel/%.o: \
	EXTRA = -mgeneral-regs-only $(EFI_CFLAGS)
$(OUT)/obj/boot/mem.c.o: EXTRA = -mgeneral-regs-only -fno-builtin -fno-tree-loop-distribute-patterns

$(OUT)/obj/%.o: % Makefile | $(NEWLIB)/lib/libc.a $(EFI)/include/efi/$(ARCH)/efibind.h
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(FW_CFLAGS) $(EXTRA) $(DEPFILE) -c -o $@ $<

# Images of tests/firmware/: everything but our main(). Floating point is theirs to use.
FW_TESTS := $(patsubst tests/firmware/%.c,$(OUT)/tests/%.efi,$(wildcard tests/firmware/*.c \
	tests/firmware/$(ARCH)/*.c))
$(OUT)/obj/tests/firmware/%.o: EXTRA = $(EFI_CFLAGS)

link-image = $(CROSS)gcc -static-pie -nostdlib -o $@ -Wl,-T,linker.ld,--orphan-handling=error \
	-Wl,--defsym=PE_MACHINE=$(PE_MACHINE_$(ARCH)),--build-id=sha1,--hash-style=gnu,-z,text \
	-Wl,-z,max-page-size=4096,-z,noexecstack,--fatal-warnings,--gc-sections \
	-Wl,-Map=$(@:.elf=.map) $(filter %.o,$^) -L$(NEWLIB)/lib \
	-Wl,--start-group -lc -lm -lgcc -Wl,--end-group

$(OUT)/bareperf.elf: $(FW_OBJS) linker.ld
	$(call say,LINK,$@)
	$(Q)$(link-image)
	$(Q)if readelf -rW $@ | grep ' R_' | grep -v _RELATIV; then \
		echo '$@: boot/start.c knows no such relocation' >&2; rm $@; exit 1; fi

.PRECIOUS: $(OUT)/tests/%.elf
$(OUT)/tests/%.elf: $(OUT)/obj/tests/firmware/%.c.o $(filter-out %/boot/main.c.o,$(FW_OBJS)) linker.ld
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link-image)

# Images with a fault of ringbuf/fault.h built in, to show that a test is able to fail.
FAULTS := NOTIFY_FIRING STORE_BUFFER
FAULT_IMAGES := $(FAULTS:%=$(OUT)/faults/%/bareperf.efi)
define fault
$(OUT)/faults/$(1)/%.o: % Makefile
	$$(call say,CC,'$$< ($(1))')
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(CROSS)gcc $(FW_CFLAGS) -mgeneral-regs-only -DRING_FAULTS=RING_FAULT_$(1) $$(DEPFILE) \
		-c -o $$@ $$<
$(OUT)/faults/$(1)/bareperf.elf: $(patsubst $(OUT)/obj/ringbuf/%,$(OUT)/faults/$(1)/ringbuf/%,\
		$(FW_OBJS)) linker.ld
	$$(call say,LINK,$$@)
	$$(Q)$$(link-image)
endef
$(foreach name,$(FAULTS),$(eval $(call fault,$(name))))

$(OUT)/%.efi: $(OUT)/%.elf
	$(call say,EFI,$@)
	$(Q)$(CROSS)objcopy -O binary $< $@

$(OUT)/bareperf.sym: $(OUT)/bareperf.elf boot/symbol-file
	$(call say,SYM,$@)
	$(Q)boot/symbol-file $< $@ || { rm -f $@; exit 1; }

firmware: $(OUT)/bareperf.efi $(OUT)/bareperf.elf $(OUT)/bareperf.sym $(FW_TESTS) $(FAULT_IMAGES)
	@:

# ---- The SDK: what a payload is compiled and linked with, and an example ----

SDK := $(OUT)/sdk
SDK_OBJS := $(patsubst %.c,$(OUT)/sdk-obj/%.c.o,$(wildcard workload/sdk/*.c))
SDK_CFLAGS := $(filter-out -fvisibility=hidden,$(FW_CFLAGS)) -isystem workload/sdk/include

$(SDK_OBJS): $(OUT)/sdk-obj/%.c.o: %.c Makefile | $(NEWLIB)/lib/libc.a
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(SDK_CFLAGS) $(DEPFILE) -c -o $@ $<

# Last, because it says that all of it is there.
$(SDK)/bin/bareperf-cc: workload/sdk/bareperf-cc.in $(SDK_OBJS) workload/sdk/payload.ld \
		$(wildcard workload/sdk/include/bareperf/*.h) Makefile
	$(call say,SDK,$(SDK))
	$(Q)rm -rf $(SDK) && mkdir -p $(@D) $(SDK)/lib
	$(Q)cp -R $(NEWLIB)/include $(SDK)/include
	$(Q)cp -R workload/sdk/include/bareperf $(SDK)/include
	$(Q)cp $(NEWLIB)/lib/libc.a $(NEWLIB)/lib/libm.a workload/sdk/payload.ld $(SDK)/lib
	$(Q)$(CROSS)ar rcs $(SDK)/lib/libbareperf.a $(SDK_OBJS)
	$(Q)sed 's/@ARCH@/$(ARCH)/; s/@CROSS@/$(CROSS)/g; s/@ISA@/$(filter-out -mno-red-zone,$(filter -m%,$(ISA_$(ARCH))))/' $< >$@
	$(Q)chmod +x $@

$(SDK)/%.elf: workload/example/%.c $(SDK)/bin/bareperf-cc
	$(call say,PAYLOAD,$@)
	$(Q)$(SDK)/bin/bareperf-cc -O2 $(WARNINGS) -o $@ $<

.PHONY: sdk
sdk: $(patsubst workload/example/%.c,$(SDK)/%.elf,$(wildcard workload/example/*.c))	## headers, libc, compiler wrapper for payloads

$(NEWLIB)/lib/libc.a:
	@deps/newlib --build $(ARCH)
$(EFI_aarch64)/include/efi/aarch64/efibind.h:
	@deps/gnu-efi-aarch64 --build

# ---- Host: the tool, and one library of everything for each way to build the tests ----

PFM := $(shell deps/libpfm4 --path)
HOST_PKGS := libelf libdw zlib libzstd jansson
HOST_CFLAGS := $(COMMON) -D_GNU_SOURCE -Iarch/host/include -isystem $(PFM)/include \
	$(shell pkg-config --cflags $(HOST_PKGS) 2>/dev/null)
HOST_LIBS := $(shell pkg-config --libs $(HOST_PKGS) 2>/dev/null) $(PFM)/lib/libpfm.a \
	-lpthread -lm
$(PFM)/lib/libpfm.a:
	@deps/libpfm4 --build

LIB_SRCS := $(wildcard ringbuf/*.c ringbuf/reader/*.c pmu/*.c pmu/x86/*.c pmu/arm/*.c pmu/software/*.c \
	arch/host/*.c $(PARSERS) host-tools/*/*.c)

# $(1) = directory below build/host, $(2) = compiler, $(3) = flags
define variant
build/host/$(1)/%.o: %.c Makefile | $(PFM)/lib/libpfm.a
	$$(call say,CC,'$$< ($(1))')
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(2) $(HOST_CFLAGS) $(3) $$(DEPFILE) -c -o $$@ $$<
build/host/$(1)/libbareperf.a: $(LIB_SRCS:%.c=build/host/$(1)/%.o)
	$$(Q)mkdir -p $$(@D) && rm -f $$@ && ar rcs $$@ $$^
endef
# instrumented code makes gcc suspect what it knows better in the plain build
SUSPECTS := -Wno-stringop-overread -Wno-stringop-overflow -Wno-maybe-uninitialized
ASAN := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all $(SUSPECTS)
# gcc: tsan knows no bare fences and says so; what a test proves, it proves by the atomics around them
TSAN := -O1 -fsanitize=thread -Wno-tsan $(SUSPECTS)
FUZZ := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
$(eval $(call variant,plain,gcc,))
$(eval $(call variant,asan,gcc,$(ASAN)))
$(eval $(call variant,tsan,gcc,$(TSAN)))
$(eval $(call variant,fuzz,clang,$(FUZZ)))

build/host/bareperf: build/host/plain/host-tools/main.o build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc -o $@ $^ $(HOST_LIBS)

host: $(if $(wildcard host-tools/main.c),build/host/bareperf)
	@:

# ---- Tests: `NAME_CFLAGS`, `NAME_SRCS` and `NAME_LIBS` in tests/*/*.mk, for those that need more ----

TEST_MAKES := $(shell find tests -name '*.mk')
include $(TEST_MAKES)
UNIT_SRCS := $(shell find tests/unit -name '*_test.c')
UNIT := $(addprefix build/host/tests/,$(notdir $(UNIT_SRCS:.c=)))
UNIT_TSAN := $(filter %_tsan_test,$(UNIT))
UNIT_PLAIN := $(filter %_plain_test,$(UNIT))
FUZZERS := $(patsubst tests/fuzz/%.c,build/host/fuzzers/%,$(wildcard tests/fuzz/*_fuzz.c))
BENCHES := $(patsubst tests/bench/%.c,build/host/bench/%,$(wildcard tests/bench/*.c))

# $(1) = compiler and its flags; of the prerequisites NAME.c is the source, the last the library
link-test = mkdir -p $(@D) && $(1) $(HOST_CFLAGS) $(DEPFILE) $($*_CFLAGS) -o $@ $(filter %/$*.c,$^) $($*_SRCS) \
	$(filter %.a,$^) $($*_LIBS) $(HOST_LIBS)

unit-source = $(filter %/$(1).c,$(UNIT_SRCS))
.SECONDEXPANSION:
$(UNIT_TSAN): build/host/tests/%: $$(call unit-source,$$*) build/host/tsan/libbareperf.a Makefile
	$(call say,TEST,$@)
	$(Q)$(call link-test,gcc $(TSAN)) -lcmocka
$(UNIT_PLAIN): build/host/tests/%: $$(call unit-source,$$*) build/host/plain/libbareperf.a Makefile
	$(call say,TEST,$@)
	$(Q)$(call link-test,gcc) -lcmocka
$(filter-out $(UNIT_TSAN) $(UNIT_PLAIN),$(UNIT)): build/host/tests/%: $$(call unit-source,$$*) build/host/asan/libbareperf.a \
		Makefile
	$(call say,TEST,$@)
	$(Q)$(call link-test,gcc $(ASAN)) -lcmocka
$(FUZZERS): build/host/fuzzers/%: tests/fuzz/%.c build/host/fuzz/libbareperf.a Makefile
	$(call say,FUZZ,$@)
	$(Q)$(call link-test,clang $(FUZZ) -fsanitize=fuzzer)
$(BENCHES): build/host/bench/%: tests/bench/%.c build/host/plain/libbareperf.a Makefile
	$(call say,BENCH,$@)
	$(Q)$(call link-test,gcc)

tests: host $(UNIT) $(FUZZERS)
	@:
benches: host $(BENCHES)
	@:

# ---- Lint: each file once until it changes, with the include paths that it is built with ----

HOUSE := abi lib arch ringbuf pmu channel workload agent boot host-tools tests
C_FILES := $(shell find $(HOUSE) -name '*.[ch]')
TIDY := $(patsubst %,build/lint/%.tidy,$(filter %.c,$(C_FILES)))
TIDY_FW = --target=$(1)-elf -std=gnu11 -I. -Iarch/$(1)/include -nostdlibinc -ffreestanding \
	-isystem $(shell deps/newlib --path $(1))/include $(ISA_$(1)) -fshort-wchar \
	-isystem workload/sdk/include \
	-isystem $(EFI_$(1))/include/efi -isystem $(EFI_$(1))/include/efi/$(1) \
	-DBAREPERF_VERSION='""' $(WARNINGS)
CLANG_IS_NOT_GCC := -Wno-unknown-warning-option -Wno-unknown-attributes

build/lint/%.tidy: TIDY_FLAGS = $(HOST_CFLAGS)
build/lint/boot/%.tidy build/lint/lib/%.tidy build/lint/agent/%.tidy build/lint/pmu/%.tidy \
	build/lint/channel/%.tidy build/lint/workload/%.tidy \
	build/lint/tests/firmware/%.tidy build/lint/arch/x86_64/%.tidy: TIDY_FLAGS = $(call TIDY_FW,x86_64)
build/lint/arch/aarch64/%.tidy build/lint/tests/firmware/aarch64/%.tidy: TIDY_FLAGS = $(call TIDY_FW,aarch64)
build/lint/%.tidy: % .clang-tidy $(filter %.h,$(C_FILES))
	$(call say,TIDY,$<)
	$(Q)mkdir -p $(@D) && clang-tidy --quiet $< -- $(TIDY_FLAGS) $(CLANG_IS_NOT_GCC) 2>$@.log || \
		{ cat $@.log; exit 1; }
	@touch $@

lint-run: $(TIDY) lint-format lint-cppcheck lint-shell lint-style
lint-format:
	$(call say,FORMAT,'$(words $(C_FILES)) files')
	$(Q)clang-format --dry-run -Werror $(C_FILES)
lint-cppcheck:
	$(call say,CPPCHECK,'$(words $(C_FILES)) files')
	$(Q)cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
		--error-exitcode=1 --suppressions-list=tests/cppcheck.txt -I. -Iarch/host/include \
		$(filter %.c,$(C_FILES))
lint-shell:
	$(call say,SHELL)
	$(Q)shellcheck --severity=warning $$(git grep -lE '^#!/bin/(ba)?sh')
lint-style:
	$(call say,STYLE)
	$(Q)tests/style

# ---- What people call ----

# The sub-makes look for compilers and libraries anew, after `deps` has installed them.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
images = $(foreach arch,$(ARCHES),$(MAKE) $(PARALLEL) ARCH=$(arch) firmware sdk &&) true

deps:			## install what is missing (Debian packages; libraries into the cache)
	@deps/install
	@for arch in $(ARCHES); do deps/newlib --build $$arch || exit 1; done
	@deps/gnu-efi-aarch64 --build
	@deps/libpfm4 --build

# Guest time by counted instructions, so that a busy host does not bend what is measured.
EXACT := -icount shift=4,sleep=off

# The main job, in full: record a call tree, show where its time went.
demo: deps		## build, record a workload in QEMU, print the report, draw a flame graph
	@$(MAKE) $(PARALLEL) all
	@mkdir -p build/demo
	build/host/bareperf run --arch $(ARCH) -o build/demo/perf.data $(EXACT) -- \
		record -e cpu-clock -F 1000 -g -- calltree
	build/host/bareperf flamegraph -o build/demo/flamegraph.svg build/demo/perf.data
	perf report --stdio --no-children -g none -i build/demo/perf.data | head -n 30
	@echo 'Written: build/demo/perf.data (for perf), build/demo/flamegraph.svg (for a browser)'

# One command on the emulated machine, by default the list of what it can record.
RUN := list
run:			## boot the image and carry out RUN='record ... -- WORKLOAD'; QEMU='-smp 4 ...'
	@$(MAKE) $(PARALLEL) all
	build/host/bareperf run --arch $(ARCH) $(QEMU) -- $(RUN)

# The hardware model is built before the tests' clocks run; 77: its source cannot be had.
model = tests/qemu/build.sh >/dev/null || [ $$? -eq 77 ]

check: deps		## every test; CHECK=pattern selects some of them
	+@$(images)
	@$(MAKE) $(PARALLEL) tests
	@$(model)
	@tests/check $(CHECK)

check-model: deps	## only the hardware model that other tests use: QEMU with our patches
	@$(model)
	@tests/check qemu/check-model

bench: deps		## the figures that we promise; BENCH=pattern selects some of them
	@deps/install tests/bench/deps.txt
	+@$(images)
	@$(MAKE) $(PARALLEL) benches
	@tests/bench/run $(BENCH)

# Installs what is built, so that nothing is compiled as root: `make` for each ARCH first.
PREFIX := /usr/local
BUILT := $(foreach arch,$(ARCHES),$(if $(wildcard build/$(arch)/bareperf.sym),$(arch)))
DEST = $(DESTDIR)$(PREFIX)
install:		## what is built, below PREFIX (/usr/local); DESTDIR=DIR for packagers
	$(if $(BUILT),,$(error nothing is built yet: make, and make ARCH=aarch64 for that image))
	install -D -m 755 build/host/bareperf $(DEST)/bin/bareperf
	for arch in $(BUILT); do \
		install -d $(DEST)/lib/bareperf/$$arch && \
		install -m 644 build/$$arch/bareperf.efi build/$$arch/bareperf.elf \
			build/$$arch/bareperf.sym $(DEST)/lib/bareperf/$$arch && \
		if [ -x build/$$arch/sdk/bin/bareperf-cc ]; then \
			cp -R build/$$arch/sdk $(DEST)/lib/bareperf/$$arch; fi || exit 1; \
	done
	install -d $(DEST)/share/man/man1
	install -m 644 docs/man/*.1 $(DEST)/share/man/man1
	install -D -m 644 host-tools/bareperf.bash $(DEST)/share/bash-completion/completions/bareperf

image: deps		## build/bareperf.img, for a USB stick that boots PCs and Arm machines
	+@$(images)
	$(call say,IMAGE,build/bareperf.img)
	$(Q)boot/make-image build/bareperf.img $(ARCHES:%=build/%/bareperf.efi)

lint: deps		## formatting, static analysis, house rules
	@$(MAKE) $(PARALLEL) -k lint-run

clean:			## remove build/ (the cache of `deps` stays)
	rm -rf build

help:			## this list
	@echo 'make [ARCH=$(subst $() ,|,$(ARCHES))] [V=1] TARGET'
	@awk -F ':.*##' '/^[a-z]+:.*##/ { printf "  %-8s%s\n", $$1, $$2 }' Makefile $(TEST_MAKES) | tr -d '\t'

lint-targets := lint-run lint-format lint-cppcheck lint-shell lint-style
.SECONDARY:
.PHONY: all install run check-model firmware host tests benches $(lint-targets) deps demo check bench lint image clean help
-include $(shell find build -name '*.d' 2>/dev/null)
