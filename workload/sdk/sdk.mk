# SPDX-License-Identifier: MIT
# ---- The SDK: compiling and linking payloads, and an example ----

SDK := $(OUT)/sdk
SDK_OBJS := $(patsubst %.c,$(OUT)/sdk-obj/%.c.o,$(wildcard workload/sdk/*.c workload/sdk/threads/*.c) lib/cpio.c lib/parse/quoted.c)
# newlib's headers show these parts of POSIX where these macros are set; pthread*.c implements them.
SDK_POSIX := $(addprefix -D_,$(addsuffix =200809L,POSIX_VERSION POSIX_THREADS POSIX_THREAD_PROCESS_SHARED POSIX_TIMEOUTS POSIX_BARRIERS \
	POSIX_CLOCK_SELECTION POSIX_SEMAPHORES POSIX_SPIN_LOCKS POSIX_READER_WRITER_LOCKS UNIX98_THREAD_MUTEX_ATTRIBUTES))
# newlib's objects that mallinfo.c and widths.c replace: programs are linked with -lm and -lc first.
SDK_NOT_LIBC := $(patsubst %,lib_a-%.o,mstats mallinfor mallstatsr mrand48 jrand48 a64l)
SDK_NOT_LIBM := lib_a-s_lround.o lib_a-s_llround.o
# One newlib declares a pointer where another declares an array of two.
SDK_CFLAGS := -isystem workload/sdk/include $(filter-out -fvisibility=hidden,$(FW_CFLAGS)) $(SDK_POSIX) -Wno-array-parameter

$(SDK_OBJS): $(OUT)/sdk-obj/%.c.o: %.c Makefile workload/sdk/sdk.mk | $(NEWLIB)/lib/libc.a
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(SDK_CFLAGS) $(DEPFILE) -c -o $@ $<

# $(1) = name, $(2) = language, $(3) = suffix, $(4) = compiler, $(5) = include option, $(6) = library
sdk-wrapper = sed 's,@ARCH@,$(ARCH),; s,@NAME@,$(1),; s,@LANGUAGE@,$(2),; s,@SUFFIX@,$(3),; \
	s,@COMPILER@,$(CROSS)$(4),g; s,@POSIX@,$(SDK_POSIX),; s,@INCLUDE@,$(5),; s,@LIBRARY@,$(6),; \
	s,@ISA@,$(filter-out -mno-red-zone -mstrict-align,$(filter -m%,$(ISA_$(ARCH)))),'

# Last, because this file marks the SDK as complete.
$(SDK)/bin/bareperf-cc: workload/sdk/bareperf-cc.in workload/sdk/bareperf-afdo $(SDK_OBJS) workload/sdk/payload.ld \
		$(wildcard workload/sdk/include/*.h workload/sdk/include/*/*.h) Makefile workload/sdk/sdk.mk
	$(call say,SDK,$(SDK))
	$(Q)rm -rf $(SDK) && mkdir -p $(@D) $(SDK)/lib
	$(Q)cp -R $(NEWLIB)/include $(SDK)/include
	$(Q)cp -R workload/sdk/include/. $(SDK)/include
	$(Q)rm $(SDK)/include/stdatomic.h # newlib's does not compile; gcc has one
	$(Q)sed -i 's/^#if defined (__SPU__)/#if defined(__bareperf__) || defined (__SPU__)/' $(SDK)/include/sys/stat.h
	$(Q)sed -i 's/^#if defined(__CYGWIN__)$$/#if defined(__CYGWIN__) || defined(__bareperf__)/' $(SDK)/include/sys/stat.h # UTIME_NOW
	$(Q)sed -i '/^#define.SIGALRM/d' $(SDK)/include/sys/signal.h # there is no alarm(), and programs ask for it so
	$(Q)sed -i 's/^# define _LIBC_LIMITS_H_.*/&\n#define SSIZE_MAX __LONG_MAX__/' $(SDK)/include/limits.h
	$(Q)sed -i 's/^#if defined (_LDBL_EQ_DBL)/#if defined(__bareperf__) || defined (_LDBL_EQ_DBL)/' $(SDK)/include/math.h
	$(Q)sed -i 's/^_END_STD_C/#define TIME_UTC 1\nint timespec_get(struct timespec *, int);\ntime_t timegm(struct tm *);\n&/' $(SDK)/include/time.h
	$(Q)sed -i 's/^.. getdelim - see .*/ssize_t getdelim(char **, size_t *, int, FILE *);/; s/^.. getline - see .*/ssize_t getline(char **, size_t *, FILE *);/' $(SDK)/include/stdio.h
	$(Q)cp $(NEWLIB)/lib/libc.a $(NEWLIB)/lib/libm.a workload/sdk/payload.ld $(SDK)/lib
	$(Q)$(CROSS)ar d $(SDK)/lib/libc.a $(SDK_NOT_LIBC)
	$(Q)$(CROSS)ar d $(SDK)/lib/libm.a $(SDK_NOT_LIBM)
	$(Q)$(CROSS)ar rcs $(SDK)/lib/libbareperf.a $(SDK_OBJS)
	$(Q)install -m 755 workload/sdk/bareperf-afdo $(@D)
	$(Q)$(call sdk-wrapper,bareperf-cc,C,c,gcc,,) <$< >$@
	$(Q)chmod +x $@

$(SDK)/%.elf: workload/example/%.c $(SDK)/bin/bareperf-cc
	$(call say,PAYLOAD,$@)
	$(Q)$(SDK)/bin/bareperf-cc -O2 $(WARNINGS) -o $@ $<

.PHONY: sdk
sdk: $(patsubst workload/example/%.c,$(SDK)/%.elf,$(wildcard workload/example/*.c))	## headers, libc, compiler wrapper for payloads

# ---- C++: libstdc++ is not built by default ----

LIBSTDCXX := $(shell deps/libstdc++ --path $(ARCH))

$(LIBSTDCXX)/lib/libstdc++.a: | $(SDK)/bin/bareperf-cc
	@deps/libstdc++ --build $(ARCH) $(SDK)

$(SDK)/bin/bareperf-c++: workload/sdk/bareperf-cc.in $(SDK)/bin/bareperf-cc $(LIBSTDCXX)/lib/libstdc++.a
	$(call say,SDK,$@)
	$(Q)rm -rf $(SDK)/include/c++ && cp -R $(LIBSTDCXX)/include $(SDK)/include/c++
	$(Q)cp $(LIBSTDCXX)/lib/libstdc++.a $(SDK)/lib
	$(Q)$(call sdk-wrapper,bareperf-c++,C++,cc,g++, -isystem "$$sdk/include/c++",-lstdc++ ) <$< >$@
	$(Q)chmod +x $@

.PHONY: sdk-c++
sdk-c++:		## the same for C++: libstdc++, built once in some minutes
	@deps/install deps/c++.txt
	@$(MAKE) $(PARALLEL) sdk $(SDK)/bin/bareperf-c++
