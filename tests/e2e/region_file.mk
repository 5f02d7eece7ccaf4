# SPDX-License-Identifier: MIT
# A large region, and the file of it
tests: build/host/region-file
build/host/region-file: tests/e2e/region_file.c tests/unit/host-tools/region_fixture.c \
		build/host/plain/libtarget.a build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc $(HOST_CFLAGS) -DFIXTURE_SIZE='(16U << 20)' -DFIXTURE_PAGES=1024U \
		-DFIXTURE_AUX='(2U << 20)' -o $@ $^ $(HOST_LIBS)
