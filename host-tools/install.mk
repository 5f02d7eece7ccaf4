# SPDX-License-Identifier: MIT
# Installs built files, so that nothing is compiled as root: run `make` for each ARCH first.
PREFIX := /usr/local
BUILT := $(foreach arch,$(ARCHES),$(if $(wildcard build/$(arch)/bareperf.sym),$(arch)))
DEST = $(DESTDIR)$(PREFIX)
install: install-images install-tool	## what is built, below PREFIX (/usr/local); DESTDIR=DIR for packagers
	for arch in $(BUILT); do \
		if [ -x build/$$arch/sdk/bin/bareperf-cc ]; then \
			cp -R build/$$arch/sdk $(DEST)/lib/bareperf/$$arch; fi || exit 1; \
	done

install-images:
	$(if $(BUILT),,$(error nothing is built yet: make, and make ARCH=aarch64 for that image))
	for arch in $(BUILT); do \
		install -d $(DEST)/lib/bareperf/$$arch && \
		install -m 644 build/$$arch/bareperf.efi build/$$arch/bareperf-dxe.efi build/$$arch/bareperf.elf \
			build/$$arch/bareperf.sym $(DEST)/lib/bareperf/$$arch || exit 1; \
	done

install-tool:
	$(if $(and $(wildcard build/host/bareperf),$(wildcard build/host/bareperf-outside.so)),,$(error the tool is not built yet: make host))
	install -D -m 755 build/host/bareperf $(DEST)/bin/bareperf
	install -D -m 644 build/host/bareperf-outside.so $(DEST)/libexec/bareperf/bareperf-outside.so
	install -d $(DEST)/share/man/man1
	install -m 644 docs/man/*.1 $(DEST)/share/man/man1
	for command in attach stop snapshot console reboot; do \
		ln -sf bareperf-channel.1 $(DEST)/share/man/man1/bareperf-$$command.1 || exit 1; done
	install -d $(DEST)/share/bareperf/labgrid
	install -m 644 host-tools/labgrid/bareperf_driver.py host-tools/labgrid/farm.yaml \
		$(DEST)/share/bareperf/labgrid
	install -D -m 644 host-tools/nanobench/kernelNanoBench.py $(DEST)/share/bareperf/nanobench/kernelNanoBench.py
	install -D -m 644 host-tools/bareperf.bash $(DEST)/share/bash-completion/completions/bareperf

.PHONY: install install-images install-tool
