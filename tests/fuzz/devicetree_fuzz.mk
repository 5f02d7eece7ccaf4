# SPDX-License-Identifier: MIT
devicetree_fuzz_SRCS := $(DEVICETREE) lib/print.c
# libfdt from its source, with the sanitizers except for alignment, because it loads byte by byte
# through pointers to words.
devicetree_fuzz_CFLAGS := -isystem $(FDT)/source
build/host/fuzzers/devicetree_fuzz: build/host/fuzz/libfdt.a
build/host/fuzz/libfdt.a: tests/fuzz/devicetree_fuzz.mk | $(FDT)/lib/libfdt.a
	$(call say,AR,$@)
	$(Q)rm -rf $(@D)/libfdt && mkdir -p $(@D)/libfdt && cd $(@D)/libfdt && \
		clang $(FUZZ) -fno-sanitize=alignment -g -w -c $(FDT)/source/*.c && ar rcs ../$(@F) *.o
