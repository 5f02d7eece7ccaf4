# SPDX-License-Identifier: MIT
pci_claim_test_SRCS := lib/pci/pci_io.c lib/pci/pci_windows.c lib/efi/efi_consoles.c lib/efi/efi_file_path.c tests/unit/lib/efi/fake_firmware.c
pci_claim_test_CFLAGS = $(fake_firmware_CFLAGS)
