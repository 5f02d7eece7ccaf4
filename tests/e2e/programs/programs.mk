# SPDX-License-Identifier: MIT
# Programs that the end-to-end tests run beside the tool.
# An image's identity in memory
tests: build/host/pe-identity
build/host/pe-identity: tests/e2e/programs/pe_identity.c build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc $(HOST_CFLAGS) -o $@ $^ $(HOST_LIBS)

# A large region, and the file of it
tests: build/host/region-file
build/host/region-file: tests/e2e/programs/region_file.c tests/unit/host-tools/region_fixture.c \
		build/host/plain/libtarget.a build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc $(HOST_CFLAGS) -DFIXTURE_SIZE='(16U << 20)' -DFIXTURE_PAGES=1024U \
		-DFIXTURE_AUX='(2U << 20)' -o $@ $^ $(HOST_LIBS)

# The host tool over a channel that copies.
tests: build/host/bareperf-copying
COPYING_SRCS := tests/e2e/programs/run_copying.c tests/unit/host-tools/region/copying_channel.c
build/host/bareperf-copying: $(COPYING_SRCS) build/host/plain/host-tools/main.o build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc $(HOST_CFLAGS) -Wl,--wrap=channel_open_shared -o $@ $^ $(HOST_LIBS)

# Prints the bytes that the target sends on a serial line, for tests in Python.
tests: build/host/wire-encode
build/host/wire-encode: tests/e2e/programs/wire_encode.c build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc $(HOST_CFLAGS) $(DEPFILE) -o $@ $(filter %.c %.a,$^)
