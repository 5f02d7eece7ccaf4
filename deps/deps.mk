# SPDX-License-Identifier: MIT
# ---- What a fresh machine lacks ----

deps:			## install what is missing (Debian packages; libraries into the cache)
	@deps/install
	@for arch in $(ARCHES); do deps/newlib --build $$arch || exit 1; done
	@deps/debian-aarch64 --build gnu-efi
	@deps/debian-aarch64 --build libfdt-dev
	@deps/libpfm4 --build && deps/libfdt --build && deps/npm --build && deps/linux-perf --build && \
		deps/boot-loaders --build

ovmf-symbols: deps	## build Debian's OVMF once more, with its functions' names, for --symbols
	@deps/install deps/ovmf.txt
	@deps/ovmf --build
	@echo "bareperf report --symbols $$(deps/ovmf --path) FILE"

aavmf-symbols: deps	## the same of Debian's AAVMF
	@deps/install deps/ovmf.txt
	@deps/ovmf --build aarch64
	@echo "bareperf report --symbols $$(deps/ovmf --path aarch64) FILE"

.PHONY: deps ovmf-symbols aavmf-symbols
