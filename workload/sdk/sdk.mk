# SPDX-License-Identifier: MIT
# ---- The SDK: what a payload is compiled and linked with, and an example ----

SDK := $(OUT)/sdk
SDK_OBJS := $(patsubst %.c,$(OUT)/sdk-obj/%.c.o,$(wildcard workload/sdk/*.c) lib/cpio.c)
# What newlib's headers show of POSIX where these are set, and pthread*.c has.
SDK_POSIX := $(addprefix -D_,$(addsuffix =200809L,POSIX_THREADS POSIX_THREAD_PROCESS_SHARED POSIX_TIMEOUTS POSIX_BARRIERS \
	POSIX_SPIN_LOCKS POSIX_READER_WRITER_LOCKS UNIX98_THREAD_MUTEX_ATTRIBUTES))
SDK_CFLAGS := -isystem workload/sdk/include $(filter-out -fvisibility=hidden,$(FW_CFLAGS)) $(SDK_POSIX)

$(SDK_OBJS): $(OUT)/sdk-obj/%.c.o: %.c Makefile | $(NEWLIB)/lib/libc.a
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(SDK_CFLAGS) $(DEPFILE) -c -o $@ $<

# Last, because it says that all of it is there.
$(SDK)/bin/bareperf-cc: workload/sdk/bareperf-cc.in $(SDK_OBJS) workload/sdk/payload.ld \
		$(wildcard workload/sdk/include/*/*.h) Makefile
	$(call say,SDK,$(SDK))
	$(Q)rm -rf $(SDK) && mkdir -p $(@D) $(SDK)/lib
	$(Q)cp -R $(NEWLIB)/include $(SDK)/include
	$(Q)cp -R workload/sdk/include/. $(SDK)/include
	$(Q)sed -i 's/^#if defined (__SPU__)/#if defined(__bareperf__) || defined (__SPU__)/' $(SDK)/include/sys/stat.h
	$(Q)cp $(NEWLIB)/lib/libc.a $(NEWLIB)/lib/libm.a workload/sdk/payload.ld $(SDK)/lib
	$(Q)$(CROSS)ar rcs $(SDK)/lib/libbareperf.a $(SDK_OBJS)
	$(Q)sed 's/@ARCH@/$(ARCH)/; s/@POSIX@/$(SDK_POSIX)/; s/@CROSS@/$(CROSS)/g; s/@ISA@/$(filter-out -mno-red-zone,$(filter -m%,$(ISA_$(ARCH))))/' $< >$@
	$(Q)chmod +x $@

$(SDK)/%.elf: workload/example/%.c $(SDK)/bin/bareperf-cc
	$(call say,PAYLOAD,$@)
	$(Q)$(SDK)/bin/bareperf-cc -O2 $(WARNINGS) -o $@ $<

.PHONY: sdk
sdk: $(patsubst workload/example/%.c,$(SDK)/%.elf,$(wildcard workload/example/*.c))	## headers, libc, compiler wrapper for payloads
