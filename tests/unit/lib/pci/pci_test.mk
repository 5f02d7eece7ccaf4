# SPDX-License-Identifier: MIT
pci_test_SRCS = lib/pci/pci.c $(ADDRESS)
pci_test_CFLAGS = $(fake_firmware_CFLAGS)
