# SPDX-License-Identifier: MIT
# What the target puts on a serial line, for tests in Python.
tests: build/host/wire-encode
build/host/wire-encode: tests/e2e/wire_encode.c build/host/plain/libbareperf.a
	$(call say,LINK,$@)
	$(Q)gcc $(HOST_CFLAGS) $(DEPFILE) -o $@ $(filter %.c %.a,$^)
