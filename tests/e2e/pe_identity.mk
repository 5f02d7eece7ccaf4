# SPDX-License-Identifier: MIT
# An image's identity in memory
tests: build/host/pe-identity
build/host/pe-identity: tests/e2e/pe_identity.c build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc $(HOST_CFLAGS) -o $@ $^ $(HOST_LIBS)
