# SPDX-License-Identifier: MIT
image_records_test_SRCS := agent/uefi/image_records.c agent/uefi/image_frames.c agent/uefi/uefi_calls.c lib/print.c lib/efi/efi_images.c lib/efi/efi_hook.c lib/efi/efi_image_set.c \
	tests/unit/lib/efi/fake_firmware.c
image_records_test_CFLAGS = $(fake_firmware_CFLAGS)
