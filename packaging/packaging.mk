# SPDX-License-Identifier: MIT
# ---- What is booted elsewhere, and signed (docs/secure-boot.md) ----

IMAGES := $(ARCHES:%=build/%/bareperf.efi)

image: deps		## build/bareperf.img, for a USB stick that boots PCs and Arm machines
	+@$(images)
	$(call say,IMAGE,build/bareperf.img)
	$(Q)boot/make-image build/bareperf.img $(IMAGES)

sign: deps		## the images signed for Secure Boot, in build/signed/; KEY=db.key CERT=db.crt
	+@$(images)
	@packaging/sign "$(KEY)" "$(CERT)" build/signed $(IMAGES)

.PHONY: image sign
