# SPDX-License-Identifier: MIT
acpi_test_SRCS := lib/acpi.c lib/acpi_madt.c lib/acpi_devices.c
