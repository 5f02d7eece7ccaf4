# SPDX-License-Identifier: MIT
acpi_fpdt_test_SRCS := lib/acpi_fpdt.c lib/acpi.c lib/acpi_madt.c lib/acpi_devices.c lib/acpi_watchdog.c lib/print.c
