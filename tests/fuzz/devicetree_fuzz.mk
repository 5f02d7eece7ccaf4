# SPDX-License-Identifier: MIT
devicetree_fuzz_SRCS := $(DEVICETREE)
# libfdt from its source, with the sanitizers, but for alignment: it loads byte by byte, through
# pointers to words. fdt_check_full(), which not every copy has, is Debian's library's; so is all of it
# where the source cannot be had.
LIBFDT := $(shell deps/libfdt --path)
ifneq ($(wildcard $(LIBFDT)/fdt_ro.c),)
devicetree_fuzz_CFLAGS := -isystem $(LIBFDT)
devicetree_fuzz_LIBS := -l:libfdt.a
build/host/fuzzers/devicetree_fuzz: build/host/fuzz/libfdt.a
build/host/fuzz/libfdt.a: tests/fuzz/devicetree_fuzz.mk
	$(call say,AR,$@)
	$(Q)rm -rf $(@D)/libfdt && mkdir -p $(@D)/libfdt && cd $(@D)/libfdt && \
		clang $(FUZZ) -fno-sanitize=alignment -g -w -c $(LIBFDT)/*.c && ar rcs ../$(@F) *.o
else
devicetree_fuzz_LIBS := -lfdt
endif
