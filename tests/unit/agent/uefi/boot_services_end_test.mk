# SPDX-License-Identifier: MIT
boot_services_end_test_SRCS := agent/uefi/image_records.c agent/uefi/image_frames.c agent/uefi/uefi_calls.c agent/uefi/uefi_phases.c \
	agent/uefi/status_code.c agent/record/record_cpu.c agent/record/record_ledger.c lib/efi/efi_hook.c lib/efi/efi_images.c lib/efi/efi_image_set.c lib/print.c \
	tests/unit/lib/efi/fake_firmware.c tests/unit/host-tools/region_fixture.c
boot_services_end_test_CFLAGS = $(fake_firmware_CFLAGS)
