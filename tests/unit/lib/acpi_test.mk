# SPDX-License-Identifier: MIT
ACPI_RIG := tests/unit/lib/acpi_rig.c lib/acpi.c lib/acpi_madt.c lib/acpi_devices.c lib/acpi_watchdog.c
acpi_test_SRCS := $(ACPI_RIG)
acpi_watchdog_test_SRCS := $(ACPI_RIG)
