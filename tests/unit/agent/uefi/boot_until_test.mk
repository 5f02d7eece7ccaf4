# SPDX-License-Identifier: MIT
boot_until_test_SRCS := agent/uefi/boot_until.c agent/uefi/boot_key.c tests/unit/lib/efi/fake_firmware.c
boot_until_test_CFLAGS = $(fake_firmware_CFLAGS)
