# SPDX-License-Identifier: MIT
# ---- What a fresh machine lacks: each target installs its own ----

# Built for one ISA, and booted
made_x86_64 := deps/build.txt
made_aarch64 := deps/build.txt deps/aarch64.txt
MADE := deps/build.txt deps/aarch64.txt
RUN_LISTS = $(made_$(ARCH)) deps/run-$(ARCH).txt
TEST_LISTS := $(MADE) $(ARCHES:%=deps/run-%.txt) deps/image.txt deps/sign.txt deps/check.txt \
	$(wildcard tests/qemu/deps.txt)

deps-made:
	@deps/install $(made_$(ARCH))
deps-run:
	@deps/install $(RUN_LISTS)
deps-demo-uefi:
	@deps/install $(made_x86_64) deps/run-x86_64.txt deps/image.txt
deps-image:
	@deps/install $(MADE) deps/image.txt
deps-sign: deps-image
	@deps/install deps/sign.txt

deps:			## install all that the tests need (packages; libraries into the cache)
	@deps/install $(TEST_LISTS)
	@for arch in $(ARCHES); do deps/newlib --build $$arch || exit 1; done
	@deps/gnu-efi --build && deps/libfdt --build && deps/libpfm4 --build
	@deps/npm --build && deps/linux-perf --build && deps/boot-loaders --build

ovmf-symbols: deps	## build Debian's OVMF once more, with its functions' names, for --symbols
	@deps/install deps/ovmf.txt
	@deps/ovmf --build
	@echo "bareperf report --symbols $$(deps/ovmf --path) FILE"

aavmf-symbols: deps	## the same of Debian's AAVMF
	@deps/install deps/ovmf.txt
	@deps/ovmf --build aarch64
	@echo "bareperf report --symbols $$(deps/ovmf --path aarch64) FILE"

.PHONY: deps deps-made deps-run deps-demo-uefi deps-image deps-sign ovmf-symbols aavmf-symbols
