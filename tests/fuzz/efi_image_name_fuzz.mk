# SPDX-License-Identifier: MIT
efi_image_name_fuzz_SRCS := lib/efi/efi_image_name.c lib/print.c tests/unit/lib/efi/fake_firmware.c
efi_image_name_fuzz_CFLAGS = $(fake_firmware_CFLAGS)
