# SPDX-License-Identifier: MIT
efi_images_test_SRCS := lib/efi/efi_images.c lib/efi/efi_hook.c lib/efi/efi_image_set.c tests/unit/lib/efi/fake_firmware.c
efi_images_test_CFLAGS = $(fake_firmware_CFLAGS)
