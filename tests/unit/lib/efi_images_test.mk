# SPDX-License-Identifier: MIT
efi_images_test_SRCS := lib/efi_images.c lib/efi_hook.c lib/efi_image_set.c tests/unit/lib/fake_firmware.c
efi_images_test_CFLAGS = $(fake_firmware_CFLAGS)
