# SPDX-License-Identifier: MIT
registration_test_SRCS := agent/uefi/registration.c lib/efi/efi_file_path.c tests/unit/lib/efi/fake_firmware.c
registration_test_CFLAGS = $(fake_firmware_CFLAGS)
