# SPDX-License-Identifier: MIT
pci_ecam_test_SRCS := lib/pci_ecam.c lib/pci_windows.c
