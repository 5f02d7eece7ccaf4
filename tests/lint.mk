# SPDX-License-Identifier: MIT
# ---- Lint: each file once until it changes, with the include paths that it is built with ----

HOUSE := abi lib arch ringbuf pmu channel command writer workload agent boot host-tools tests
# The hardware model's own files are QEMU's in style, and are compiled in QEMU alone.
C_FILES := $(shell find $(HOUSE) -path tests/qemu/model -prune -o -name '*.[ch]' -print)
TIDY := $(patsubst %,build/lint/%.tidy,$(filter %.c,$(C_FILES)))
TIDY_FW = --target=$(1)-elf -std=gnu11 -I. -Iarch/$(1)/include -Itests/firmware/$(1) -nostdlibinc -ffreestanding \
	-isystem workload/sdk/include $(SDK_POSIX) \
	-isystem $(shell deps/newlib --path $(1))/include $(ISA_$(1)) -fshort-wchar -isystem $(FDT)/include \
	-isystem $(EFI_$(1))/include/efi -isystem $(EFI_$(1))/include/efi/$(1) \
	-DBAREPERF_VERSION='""' $(WARNINGS)
CLANG_IS_NOT_GCC := -Wno-unknown-warning-option -Wno-unknown-attributes

build/lint/%.tidy: TIDY_FLAGS = $(HOST_CFLAGS)
build/lint/tests/unit/%.tidy build/lint/tests/fuzz/%.tidy: TIDY_FLAGS = $(HOST_CFLAGS) $($(basename $(notdir $*))_CFLAGS)
build/lint/boot/%.tidy build/lint/lib/%.tidy build/lint/agent/%.tidy build/lint/pmu/%.tidy \
	build/lint/channel/%.tidy build/lint/workload/%.tidy \
	build/lint/tests/firmware/%.tidy build/lint/arch/x86_64/%.tidy: TIDY_FLAGS = $(call TIDY_FW,x86_64)
build/lint/arch/aarch64/%.tidy build/lint/tests/firmware/aarch64/%.tidy: TIDY_FLAGS = $(call TIDY_FW,aarch64)
build/lint/tests/firmware/model/aarch64%.tidy: TIDY_FLAGS = $(call TIDY_FW,aarch64)
build/lint/tests/firmware/model/x86%.tidy: TIDY_FLAGS = $(call TIDY_FW,x86_64) -m32
build/lint/%.tidy: % .clang-tidy $(filter %.h,$(C_FILES))
	$(call say,TIDY,$<)
	$(Q)mkdir -p $(@D) && clang-tidy --quiet $< -- $(TIDY_FLAGS) $(CLANG_IS_NOT_GCC) 2>$@.log || \
		{ cat $@.log; exit 1; }
	@touch $@

lint-run: $(TIDY) lint-format lint-cppcheck lint-shell lint-style
# Versions differ in braces of macros and pointers to structs without a name. One decides.
LAYOUT := 14
CLANG_FORMAT = $(shell command -v clang-format-$(LAYOUT) || echo clang-format)
lint-format:
	$(call say,FORMAT,'$(words $(C_FILES)) files')
	$(Q)if $(CLANG_FORMAT) --version | grep -q ' version $(LAYOUT)\.'; then \
		$(CLANG_FORMAT) --dry-run -Werror $(C_FILES); \
	else echo 'The layout is that of clang-format $(LAYOUT), which is not here: not checked.'; fi
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

.PHONY: lint-run lint-format lint-cppcheck lint-shell lint-style
