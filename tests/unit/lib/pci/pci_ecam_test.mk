# SPDX-License-Identifier: MIT
pci_ecam_test_SRCS := lib/pci/pci_ecam.c lib/pci/pci_windows.c
