# SPDX-License-Identifier: MIT
# Images of tests/firmware/: all code except our main(). They may use floating point.
FW_TESTS := $(patsubst tests/firmware/%.c,$(OUT)/tests/%.efi,$(wildcard tests/firmware/*.c \
	tests/firmware/$(ARCH)/*.c))
$(OUT)/obj/tests/firmware/%.o: EXTRA = $(EFI_CFLAGS) -Itests/firmware/$(ARCH)

.PRECIOUS: $(OUT)/tests/%.elf
$(OUT)/tests/%.elf: $(OUT)/obj/tests/firmware/%.c.o $(filter-out %/boot/main.c.o %/boot/run_mode.c.o,$(FW_OBJS)) linker.ld
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(link-image)

# Images with a fault of ringbuf/fault.h built in, to show that a test can fail.
FAULTS := NOTIFY_FIRING STORE_BUFFER
FAULT_IMAGES := $(FAULTS:%=$(OUT)/faults/%/bareperf.efi)
define fault
$(OUT)/faults/$(1)/%.o: % Makefile | $(NEWLIB)/lib/libc.a
	$$(call say,CC,'$$< ($(1))')
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(CROSS)gcc $(FW_CFLAGS) -mgeneral-regs-only -DRING_FAULTS=RING_FAULT_$(1) $$(DEPFILE) \
		-c -o $$@ $$<
$(OUT)/faults/$(1)/bareperf.elf: $(patsubst $(OUT)/obj/ringbuf/%,$(OUT)/faults/$(1)/ringbuf/%,\
		$(FW_OBJS)) linker.ld
	$$(call say,LINK,$$@)
	$$(Q)$$(link-image)
endef
$(foreach name,$(FAULTS),$(eval $(call fault,$(name))))

firmware: $(FW_TESTS) $(FAULT_IMAGES) $(OUT)/tests/spinner-dxe.efi
