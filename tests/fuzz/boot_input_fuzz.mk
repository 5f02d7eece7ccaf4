# SPDX-License-Identifier: MIT
boot_input_fuzz_SRCS := lib/acpi/acpi.c lib/acpi/acpi_madt.c lib/acpi/acpi_devices.c lib/acpi/acpi_watchdog.c lib/acpi/acpi_fpdt.c lib/print.c agent/input/loadoptions.c
