# SPDX-License-Identifier: MIT
# ---- What is booted elsewhere, signed, downloaded, installed (docs/releases.md, docs/secure-boot.md) ----

# A release's files are as old as its entry in CHANGELOG.md.
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell packaging/changelog $(VERSION) --epoch))
IMAGES := $(ARCHES:%=build/%/bareperf.efi)

image: deps-image	## build/bareperf.img, for a USB stick that boots PCs and Arm machines
	+@$(images)
	$(call say,IMAGE,build/bareperf.img)
	$(Q)boot/make-image build/bareperf.img $(IMAGES)

sign: deps-sign		## the images signed for Secure Boot, in build/signed/; KEY=db.key CERT=db.crt
	+@$(images)
	@packaging/sign "$(KEY)" "$(CERT)" build/signed $(IMAGES)

dist: deps-image	## a release in build/dist/: images, stick, tool, SDKs, symbols, SBOM, checksums
	+@$(images)
	@$(MAKE) $(PARALLEL) host
	@SOURCE_DATE_EPOCH=$(EPOCH) packaging/dist build/dist $(VERSION)
	@cd build/dist && ls -l

deb: deps-image	## Debian packages of the tool and the images, in build/deb/
	@deps/install packaging/deps.txt
	+@$(images)
	@$(MAKE) $(PARALLEL) host
	@packaging/deb build/deb $(VERSION)
	@ls -l build/deb/*.deb

deb-qemu: deps-image	## a Debian package of QEMU with the hardware model, in build/deb-qemu/
	@deps/install packaging/deps.txt tests/qemu/deps.txt
	@packaging/deb-qemu build/deb-qemu $(VERSION)
	@ls -l build/deb-qemu/*.deb

# The parts that the packages' test needs, built before its timeout begins
check: packaging-deps
packaging-deps: deps
	@deps/install packaging/deps.txt
	@packaging/chroot --build || true

.PHONY: image sign dist deb deb-qemu packaging-deps
