# SPDX-License-Identifier: MIT
acpi_fpdt_fuzz_SRCS := lib/acpi/acpi_fpdt.c lib/print.c
