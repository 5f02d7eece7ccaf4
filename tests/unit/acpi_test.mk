# SPDX-License-Identifier: MIT
acpi_test_SRCS := boot/acpi.c boot/acpi_madt.c boot/acpi_devices.c
