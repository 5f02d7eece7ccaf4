# SPDX-License-Identifier: MIT
uefi_phases_test_SRCS := agent/uefi/uefi_phases.c agent/uefi/status_code.c lib/print.c tests/unit/lib/efi/fake_firmware.c
uefi_phases_test_CFLAGS = $(fake_firmware_CFLAGS)
