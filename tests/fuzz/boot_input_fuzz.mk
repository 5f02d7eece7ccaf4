# SPDX-License-Identifier: MIT
boot_input_fuzz_SRCS := boot/acpi.c boot/acpi_madt.c boot/acpi_devices.c boot/loadoptions.c
