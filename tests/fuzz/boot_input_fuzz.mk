# SPDX-License-Identifier: MIT
boot_input_fuzz_SRCS := lib/acpi.c lib/acpi_madt.c lib/acpi_devices.c lib/acpi_watchdog.c lib/acpi_fpdt.c lib/print.c agent/input/loadoptions.c
