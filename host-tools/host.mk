# SPDX-License-Identifier: MIT
# The host tool is one library and its main(). The tests also link a second library, with the code
# that runs on the target.

HOST_PKGS := libelf libdw zlib libzstd jansson yaml-0.1 capstone ncursesw $(shell pkg-config --exists libkdumpfile 2>/dev/null && echo libkdumpfile)
PFM := $(shell deps/libpfm4 --path)
HOST_CFLAGS := $(COMMON) -D_GNU_SOURCE -Iarch/host/include -isystem $(PFM)/include \
	$(shell pkg-config --cflags $(HOST_PKGS) 2>/dev/null) $(if $(filter libkdumpfile,$(HOST_PKGS)),-DHAVE_LIBKDUMPFILE)
HOST_LIBS := $(shell pkg-config --libs $(HOST_PKGS) 2>/dev/null) $(PFM)/lib/libpfm.a -liberty -lpthread -lm
$(PFM)/lib/libpfm.a:
	@deps/libpfm4 --build

HOST_SRCS := $(sort $(wildcard $(PARSERS) ringbuf/reader/*.c channel/wire/*.c) \
	$(filter-out host-tools/main.c,$(shell find writer host-tools -name '*.c')))
TARGET_SRCS := $(filter-out pmu/%/sources.c,$(wildcard ringbuf/*.c pmu/*.c pmu/clock/*.c pmu/x86/*.c pmu/x86/lbr/*.c pmu/x86/ibs/*.c pmu/arm/*.c \
	pmu/software/*.c channel/line*.c channel/stop_key.c lib/cpio.c lib/uart/*.c arch/host/*.c)) tests/unit/pmu/sources.c

# $(1) = directory below build/host, $(2) = compiler, $(3) = flags
define variant
build/host/$(1)/%.o: %.c Makefile | $(PFM)/lib/libpfm.a
	$$(call say,CC,'$$< ($(1))')
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(2) $(HOST_CFLAGS) $(3) $$(DEPFILE) -c -o $$@ $$<
build/host/$(1)/libbareperf.a: $(HOST_SRCS:%.c=build/host/$(1)/%.o)
build/host/$(1)/libtarget.a: $(TARGET_SRCS:%.c=build/host/$(1)/%.o)
build/host/$(1)/libbareperf.a build/host/$(1)/libtarget.a:
	$$(Q)mkdir -p $$(@D) && rm -f $$@ && ar rcs $$@ $$^
endef
$(eval $(call variant,plain,gcc,))

build/host/bareperf: build/host/plain/host-tools/main.o build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc -o $@ $^ $(HOST_LIBS) -Wl,-Map=$@.map

# The plugin for QEMU has the ring's code in it, and exports QEMU's two names alone.
PLUGIN_SRCS := $(wildcard plugin/*.c ringbuf/*.c) arch/host/host.c
build/host/plugin/%.o: %.c Makefile
	$(call say,CC,'$< (plugin)')
	$(Q)mkdir -p $(@D)
	$(Q)gcc $(COMMON) -D_GNU_SOURCE -Iarch/host/include -fPIC -fvisibility=hidden $(DEPFILE) -c -o $@ $<
build/host/bareperf-outside.so: $(PLUGIN_SRCS:%.c=build/host/plugin/%.o)
	$(call say,LINK,$@)
	$(Q)gcc -shared -o $@ $^ -Wl,--gc-sections -Wl,-z,relro,-z,now

host: build/host/bareperf build/host/bareperf-outside.so ;
