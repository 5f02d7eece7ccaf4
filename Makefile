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
# The user's words for a recipe: they end at spaces, and the shell reads nothing else in them.
quoted = $(foreach word,$(1),'$(subst ','\'',$(word))')

WARNINGS := -Wall -Wextra -Werror -Wundef -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wvla -Wformat=2 -Wcast-qual
# No path of the build machine gets into the built files, so that they are the same everywhere.
export PWD := $(CURDIR)
COMMON = -std=gnu11 -O2 -g -I. $(WARNINGS) -DBAREPERF_VERSION='"$(VERSION)"' \
	-ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(dir $(NEWLIB))=deps/
# which headers an output depends on
DEPFILE = -MMD -MP -MT $@ -MF $@.d

all: deps-made		## the firmware image of ARCH and the host tool
	@$(MAKE) $(PARALLEL) firmware host

# ---- Firmware ----

CROSS_x86_64 :=
CROSS_aarch64 := aarch64-linux-gnu-
ISA_x86_64 := -mno-red-zone -DGNU_EFI_USE_MS_ABI
# -mstrict-align: the trace region may lie in memory that firmware has mapped as Device, which faults on
# accesses that are not aligned.
ISA_aarch64 := -mno-outline-atomics -mstrict-align
PE_MACHINE_x86_64 := 0x8664
PE_MACHINE_aarch64 := 0xaa64
EFI_x86_64 := /usr
EFI_aarch64 := $(shell deps/gnu-efi --path)

CROSS := $(CROSS_$(ARCH))
NEWLIB := $(shell deps/newlib --path $(ARCH))
EFI := $(EFI_$(ARCH))
FDT := $(shell deps/libfdt --path)
OUT := build/$(ARCH)

# -nostdinc: the host's libc headers must not be found by accident. Frame pointers everywhere and
# no sibling calls, because backtraces are the product.
FW_CFLAGS := $(COMMON) -ffreestanding -fpie -fvisibility=hidden -fno-stack-protector \
	-fno-asynchronous-unwind-tables -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	-fno-optimize-sibling-calls -fno-delete-null-pointer-checks -Wstack-usage=4096 $(ISA_$(ARCH)) \
	-Iarch/$(ARCH)/include -nostdinc -isystem $(NEWLIB)/include \
	-isystem $(shell $(CROSS)gcc -print-file-name=include)
# UEFI's strings have 16-bit characters; only files that call UEFI see its headers.
EFI_CFLAGS := -fshort-wchar -isystem $(EFI)/include/efi -isystem $(EFI)/include/efi/$(ARCH)

# Parsers of commands, events, images and microbenchmarks, and surveys, for the firmware and for the host tool
PARSERS := command/*.c lib/bench/*.c lib/parse/*.c lib/survey/*.c pmu/parse/*.c
# Device trees are Arm's.
NO_DEVICETREE := lib/devicetree/no_devicetree.c
DEVICETREE := $(filter-out $(NO_DEVICETREE),$(wildcard lib/devicetree/*.c))
TREES_x86_64 := $(NO_DEVICETREE)
TREES_aarch64 := $(DEVICETREE)
LIBFDT_aarch64 := $(FDT)/lib/libfdt.a
# Of pmu/, the drivers of the architecture; of workload/, no payloads.
DRIVERS_x86_64 := pmu/x86 pmu/x86/lbr pmu/x86/ibs
DRIVERS_aarch64 := pmu/arm
FW_ROOMS := boot lib agent arch/$(ARCH) ringbuf channel writer
FW_DIRS := pmu pmu/clock $(DRIVERS_$(ARCH)) pmu/software workload
FW_SRCS := $(sort $(filter-out lib/devicetree/%,$(shell find $(FW_ROOMS) -name '*.[cS]')) \
	$(wildcard $(FW_DIRS:%=%/*.c) $(PARSERS)) $(TREES_$(ARCH)))
FW_OBJS := $(FW_SRCS:%=$(OUT)/obj/%.o)

# Handlers must not touch vector registers, since no code saves them; only workloads may.
$(OUT)/obj/%.o: EXTRA = -mgeneral-regs-only
$(OUT)/obj/workload/%.o: EXTRA =
$(OUT)/obj/boot/%.o $(OUT)/obj/lib/%.o $(OUT)/obj/agent/%.o $(OUT)/obj/channel/%.o: \
	EXTRA = -mgeneral-regs-only $(EFI_CFLAGS)
# It runs on the firmware's stack, which has 128 KiB (UEFI 2.10, 2.3.2, 2.3.6).
$(OUT)/obj/writer/%.o: EXTRA = -mgeneral-regs-only -Wstack-usage=8192
# Formats doubles, in thread context only, after the marks' writers have ended.
$(OUT)/obj/writer/perfdata/mark_text.c.o: EXTRA = -Wstack-usage=8192
$(OUT)/obj/lib/memory/mem.c.o: EXTRA = -mgeneral-regs-only -fno-builtin -fno-tree-loop-distribute-patterns

$(OUT)/obj/lib/devicetree/%.o: EXTRA = -mgeneral-regs-only -isystem $(FDT)/include

$(OUT)/obj/%.o: % Makefile | $(NEWLIB)/lib/libc.a $(EFI)/include/efi/$(ARCH)/efibind.h $(LIBFDT_$(ARCH))
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(FW_CFLAGS) $(EXTRA) $(DEPFILE) -c -o $@ $<

link-image = $(CROSS)gcc -static-pie -nostdlib -o $@ -Wl,-T,linker.ld,--orphan-handling=error \
	-Wl,--defsym=PE_MACHINE=$(PE_MACHINE_$(ARCH)),--build-id=sha1,--hash-style=gnu,-z,text \
	-Wl,-z,max-page-size=4096,-z,noexecstack,--fatal-warnings,--gc-sections \
	-Wl,-Map=$(@:.elf=.map) $(filter %.o,$^) -L$(NEWLIB)/lib \
	-Wl,--start-group $(LIBFDT_$(ARCH)) -lc -lm -lgcc -Wl,--end-group

# The same image without the table of its functions' names, which comes last in the image. So this
# image has the same addresses, and the table is made from it.
$(OUT)/nameless/bareperf.elf: $(FW_OBJS) linker.ld
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link-image)
$(OUT)/nameless/symbols.S: $(OUT)/nameless/bareperf.elf boot/symbol-file
	$(call say,NAMES,$@)
	$(Q)boot/symbol-file --table $< >$@ || { rm -f $@; exit 1; }
$(OUT)/nameless/symbols.o: $(OUT)/nameless/symbols.S
	$(Q)$(CROSS)gcc $(FW_CFLAGS) -c -o $@ $<

$(OUT)/bareperf.elf: $(FW_OBJS) $(OUT)/nameless/symbols.o linker.ld
	$(call say,LINK,$@)
	$(Q)$(link-image)
	$(Q)boot/symbol-file --table $@ | cmp - $(OUT)/nameless/symbols.S || { \
		echo '$@: a function lies elsewhere than its name says' >&2; rm $@; exit 1; }
	$(Q)if readelf -rW $@ | grep ' R_' | grep -v _RELATIV; then \
		echo '$@: boot/start.c knows no such relocation' >&2; rm $@; exit 1; fi

$(OUT)/%.efi: $(OUT)/%.elf
	$(call say,EFI,$@)
	$(Q)$(CROSS)objcopy -O binary $< $@

# The same image as a boot services driver (UEFI 2.10, 2.1.4), which stays when it has returned.
$(OUT)/%-dxe.efi: $(OUT)/%.efi $(OUT)/%.elf
	$(call say,EFI,$@)
	$(Q)cp $< $@.new
	$(Q)printf '\013' | dd of=$@.new bs=1 conv=notrunc status=none \
		seek=$$((0x$$($(CROSS)nm $(OUT)/$*.elf | sed -n 's/ . __pe_subsystem$$//p')))
	$(Q)mv $@.new $@

$(OUT)/bareperf.sym: $(OUT)/bareperf.elf boot/symbol-file
	$(call say,SYM,$@)
	$(Q)boot/symbol-file $< $@ || { rm -f $@; exit 1; }

# Without this prerequisite, a .sym older than the image, with another build-id, might be left
# beside it.
$(OUT)/bareperf.efi: | $(OUT)/bareperf.sym

firmware: $(OUT)/bareperf.efi $(OUT)/bareperf-dxe.efi $(OUT)/bareperf.elf $(OUT)/bareperf.sym ;

$(NEWLIB)/lib/libc.a:
	@deps/newlib --build $(ARCH)
$(EFI_aarch64)/include/efi/aarch64/efibind.h:
	@deps/gnu-efi --build
$(FDT)/lib/libfdt.a:
	@deps/libfdt --build

include deps/deps.mk boot/demo.mk host-tools/host.mk workload/sdk/sdk.mk host-tools/install.mk host-tools/report/html/page.mk packaging/packaging.mk tests/firmware.mk tests/tests.mk tests/lint.mk

# ---- The targets for users ----

# The sub-makes look for compilers and libraries anew, after `deps` has installed them.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
images = $(foreach arch,$(ARCHES),$(MAKE) $(PARALLEL) ARCH=$(arch) firmware sdk &&) true
images-c++ = $(foreach arch,$(ARCHES),$(MAKE) $(PARALLEL) ARCH=$(arch) sdk-c++ &&) true

# One command on the emulated machine, by default the list of its events.
RUN := list
run: deps-run		## boot the image and carry out RUN='record ... -- WORKLOAD'; QEMU='-smp 4 ...'
	@$(MAKE) $(PARALLEL) firmware host
	build/host/bareperf run --arch $(ARCH) $(call quoted,$(QEMU)) -- $(call quoted,$(RUN))

lint: deps		## formatting, static analysis, house rules
	@$(MAKE) $(PARALLEL) -k lint-run

clean:			## remove build/ (the cache of `deps` stays)
	rm -rf build

help:			## this list
	@echo 'make [ARCH=$(subst $() ,|,$(ARCHES))] [V=1] TARGET'
	@awk -F ':.*##' '/^[a-z+-]+:.*##/ { printf "  %-12s%s\n", $$1, $$2 }' $(filter %Makefile %.mk,$(MAKEFILE_LIST)) | tr -d '\t'

.SECONDARY:
.PHONY: all run check-model firmware host tests benches check bench lint clean help
-include $(shell find build -name '*.d' 2>/dev/null)
