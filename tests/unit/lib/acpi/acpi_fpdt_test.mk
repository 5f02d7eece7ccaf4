# SPDX-License-Identifier: MIT
acpi_fpdt_test_SRCS := lib/acpi/acpi_fpdt.c lib/acpi/acpi.c lib/acpi/acpi_madt.c lib/acpi/acpi_devices.c lib/acpi/acpi_watchdog.c lib/print.c
