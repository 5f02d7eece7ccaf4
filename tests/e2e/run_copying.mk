# SPDX-License-Identifier: MIT
# The host tool over a channel that copies.
tests: build/host/bareperf-copying
COPYING_SRCS := tests/e2e/run_copying.c tests/unit/host-tools/region/copying_channel.c
build/host/bareperf-copying: $(COPYING_SRCS) build/host/plain/host-tools/main.o build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc $(HOST_CFLAGS) -Wl,--wrap=channel_open_shared -o $@ $^ $(HOST_LIBS)
