# SPDX-License-Identifier: MIT
pci_claim_test_SRCS := lib/pci_io.c lib/pci_windows.c lib/efi_consoles.c lib/efi_file_path.c tests/unit/lib/fake_firmware.c
pci_claim_test_CFLAGS = $(fake_firmware_CFLAGS)
