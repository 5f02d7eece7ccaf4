# SPDX-License-Identifier: MIT
# Sources and flags that a fuzz target needs besides its own file and the two libraries.
acpi_fpdt_fuzz_SRCS := lib/acpi/acpi_fpdt.c lib/print.c
boot_input_fuzz_SRCS := lib/acpi/acpi.c lib/acpi/acpi_madt.c lib/acpi/acpi_devices.c lib/acpi/acpi_watchdog.c lib/acpi/acpi_fpdt.c lib/print.c agent/input/loadoptions.c
coreboot_fuzz_SRCS := lib/coreboot.c lib/print.c
cpio_fuzz_SRCS := lib/cpio.c
efi_image_name_fuzz_SRCS := lib/efi/efi_image_name.c lib/print.c tests/unit/lib/efi/fake_firmware.c
elf_fuzz_SRCS := command/elf.c
perf_data_fuzz_SRCS := tests/fuzz/perf_data_phases.c
# Two targets that use the same regions.
$(foreach fuzz,region_fuzz region_live_fuzz,$(eval $(fuzz)_SRCS += tests/fuzz/region_readers.c) \
	$(eval build/host/fuzzers/$(fuzz): tests/fuzz/region_readers.c))
