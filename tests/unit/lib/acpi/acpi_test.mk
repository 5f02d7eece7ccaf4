# SPDX-License-Identifier: MIT
ACPI_RIG := tests/unit/lib/acpi/acpi_rig.c lib/acpi/acpi.c lib/acpi/acpi_madt.c lib/acpi/acpi_devices.c lib/acpi/acpi_watchdog.c
acpi_test_SRCS := $(ACPI_RIG)
acpi_watchdog_test_SRCS := $(ACPI_RIG)
