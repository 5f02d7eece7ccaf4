# SPDX-License-Identifier: MIT
# Sources and flags that a unit test needs besides its own file and the two libraries, by room.

# ---- lib/efi/ ----
# For tests that link tests/unit/lib/efi/fake_firmware.c.
fake_firmware_CFLAGS = -fshort-wchar -DGNU_EFI_USE_MS_ABI -isystem $(EFI_x86_64)/include/efi \
	-isystem $(EFI_x86_64)/include/efi/x86_64

# ---- abi/ ----
abi_test_SRCS := tests/unit/abi/abi_linux.c

# ---- agent/ ----
mode_test_SRCS := agent/mode.c

# ---- agent/bench/ ----
services_figures_test_SRCS := agent/bench/services_figures.c

# ---- agent/input/ ----
keyboard_line_test_SRCS := agent/input/keyboard_line.c
loadoptions_test_SRCS := agent/input/loadoptions.c
mailbox_test_SRCS += agent/input/mailbox.c

# ---- agent/payload/ ----
payload_fetch_test_SRCS := agent/payload/payload_fetch.c
payload_output_test_SRCS := agent/payload/payload_output.c

# ---- agent/record/ ----
record_ledger_test_SRCS := agent/record/record_ledger.c tests/unit/host-tools/region_fixture.c
record_progress_test_SRCS := agent/record/record_progress.c lib/print.c
record_regions_test_SRCS := agent/record/record_regions.c lib/print.c
record_switch_test_SRCS := agent/record/record_switch.c
record_tick_test_SRCS := agent/record/record_tick.c agent/record/record_tick_stalled.c agent/record/record_stop.c \
	agent/record/record_ledger.c agent/input/mailbox.c \
	tests/unit/host-tools/region_fixture.c

# ---- agent/record/lossless/ ----
LOSSLESS_RIG := tests/unit/agent/record/lossless/record_lossless_rig.c agent/record/lossless/record_lossless.c \
	agent/record/lossless/lossless_hold.c lib/print.c
lossless_hold_test_SRCS := agent/record/lossless/lossless_hold.c
record_lossless_test_SRCS := $(LOSSLESS_RIG)
record_lossless_cpus_test_SRCS := $(LOSSLESS_RIG)

# ---- agent/volume/ ----
kept_test_SRCS = agent/volume/kept.c $(ADDRESS) tests/unit/lib/efi/fake_firmware.c

# ---- agent/report/ ----
functions_test_SRCS := agent/report/functions.c
report_test_SRCS := agent/report/functions.c agent/report/modules.c agent/report/hottest.c agent/report/report.c lib/print.c \
	tests/unit/host-tools/region_fixture.c

# ---- agent/shell/ ----
shell_text_test_SRCS := agent/shell/shell_text.c

# ---- agent/selftest/ ----
selftest_judge_test_SRCS := agent/selftest/selftest_judge.c agent/selftest/selftest_judge_time.c \
	agent/selftest/selftest_report.c lib/print.c
selftest_report_test_SRCS := agent/selftest/selftest_report.c lib/print.c

# ---- agent/uefi/ ----
boot_services_end_test_SRCS := agent/uefi/image_records.c agent/uefi/image_frames.c agent/uefi/uefi_calls.c agent/uefi/uefi_phases.c \
	agent/uefi/status_code.c agent/record/record_cpu.c agent/record/record_ledger.c lib/efi/efi_hook.c lib/efi/efi_images.c lib/efi/efi_image_set.c lib/print.c \
	tests/unit/lib/efi/fake_firmware.c tests/unit/host-tools/region_fixture.c
boot_until_test_SRCS := agent/uefi/boot_until.c agent/uefi/boot_key.c tests/unit/lib/efi/fake_firmware.c
image_frames_test_SRCS := agent/uefi/image_frames.c lib/print.c
image_records_test_SRCS := agent/uefi/image_records.c agent/uefi/image_frames.c agent/uefi/uefi_calls.c lib/print.c lib/efi/efi_images.c lib/efi/efi_hook.c lib/efi/efi_image_set.c \
	tests/unit/lib/efi/fake_firmware.c
registration_test_SRCS := agent/uefi/registration.c lib/efi/efi_file_path.c tests/unit/lib/efi/fake_firmware.c
status_code_test_SRCS := agent/uefi/status_code.c lib/print.c
uefi_phases_test_SRCS := agent/uefi/uefi_phases.c agent/uefi/status_code.c lib/print.c tests/unit/lib/efi/fake_firmware.c

# ---- arch/aarch64/ ----
steal_test_SRCS := arch/aarch64/steal.c

# ---- arch/aarch64/hosted/ ----
hosted_choice_test_SRCS := arch/aarch64/hosted/hosted_choice.c
hosted_irq_test_SRCS := arch/aarch64/hosted/hosted_irq.c

# ---- arch/aarch64/interrupt/ ----
gic_spi_test_SRCS := arch/aarch64/interrupt/gic_spi.c

# ---- arch/aarch64/pmu/ ----
step_walk_test_SRCS := arch/aarch64/pmu/step_walk.c arch/aarch64/pmu/step_sequence.c

# ---- arch/x86_64/ ----
hypervisor_test_SRCS := arch/x86_64/hypervisor.c
legacy_test_SRCS := arch/x86_64/legacy.c
memory_forgets_test_SRCS := arch/x86_64/memory_forgets.c
xcr0_test_SRCS := arch/x86_64/xcr0.c

# ---- arch/x86_64/hosted/ ----
hosted_gates_test_SRCS := arch/x86_64/hosted/hosted_gates.c
hosted_gates_test_CFLAGS := -include tests/unit/arch/x86_64/hosted/hosted_gates_test.h

# ---- arch/x86_64/interrupt/ ----
local_apic_test_SRCS := arch/x86_64/interrupt/apic.c arch/x86_64/time/timer.c
local_apic_test_CFLAGS := -include tests/unit/arch/x86_64/interrupt/local_apic_test.h

# ---- arch/x86_64/pmu/ ----
saved_perfmon_test_SRCS := arch/x86_64/pmu/saved_perfmon.c
trace_step_test_SRCS := arch/x86_64/pmu/trace_step.c

# ---- arch/x86_64/time/ ----
clock_cpuid_test_SRCS := arch/x86_64/time/clock_cpuid.c
hpet_test_SRCS := arch/x86_64/time/hpet.c

# ---- channel/ ----
$(foreach test,line_test lines_test line_fuzz,$(eval $(test)_SRCS += tests/unit/channel/line_rig.c))
lines_test_SRCS += tests/unit/lib/uart/uart_model.c
line_fuzz_LIBS := -lcmocka
build/host/tests/line_test build/host/tests/lines_test build/host/fuzzers/line_fuzz: tests/unit/channel/line_rig.h

# ---- command/ ----
elf_test_SRCS := command/elf.c

# ---- host-tools/region/serial/ ----
# Both ends of a line in one program: the target's own engine is the other side.
wire_host_test_SRCS := tests/unit/host-tools/region/serial/wire_rig.c channel/line.c channel/line_answers.c \
	channel/line_requests.c channel/line_text.c

# ---- lib/ ----
ADDRESS := lib/memory/address.c tests/unit/lib/memory/fake_map.c
address_test_SRCS := $(ADDRESS)
hosted_test_SRCS := lib/hosted.c lib/parse/hob.c
coreboot_test_SRCS := lib/coreboot.c lib/print.c
platform_check_test_SRCS := lib/platform_check.c $(ADDRESS)
print_test_SRCS := lib/print.c
watchdog_test_SRCS := lib/watchdog.c

# ---- lib/acpi/ ----
acpi_fpdt_test_SRCS := lib/acpi/acpi_fpdt.c lib/acpi/acpi.c lib/acpi/acpi_madt.c lib/acpi/acpi_devices.c lib/acpi/acpi_watchdog.c lib/print.c
ACPI_RIG := tests/unit/lib/acpi/acpi_rig.c lib/acpi/acpi.c lib/acpi/acpi_madt.c lib/acpi/acpi_devices.c lib/acpi/acpi_watchdog.c
acpi_test_SRCS := $(ACPI_RIG)
acpi_watchdog_test_SRCS := $(ACPI_RIG)

# ---- lib/console/ ----
console_test_SRCS := lib/console/console.c lib/print.c
keyboard_test_SRCS := lib/console/keyboard.c

# ---- lib/devicetree/ ----
$(foreach test,devicetree_test devicetree_boards_test devicetree_times_test,\
	$(eval $(test)_SRCS := tests/unit/lib/devicetree/devicetree_rig.c $(DEVICETREE) lib/print.c) \
	$(eval $(test)_LIBS := -lfdt))

# ---- lib/efi/ ----
efi_drivers_test_SRCS := lib/efi/efi_drivers.c tests/unit/lib/efi/fake_firmware.c
efi_file_path_test_SRCS := lib/efi/efi_file_path.c tests/unit/lib/efi/fake_firmware.c
efi_images_test_SRCS := lib/efi/efi_images.c lib/efi/efi_hook.c lib/efi/efi_image_set.c tests/unit/lib/efi/fake_firmware.c

# ---- lib/pci/ ----
pci_claim_test_SRCS := lib/pci/pci_io.c lib/pci/pci_windows.c lib/efi/efi_consoles.c lib/efi/efi_file_path.c tests/unit/lib/efi/fake_firmware.c
pci_ecam_test_SRCS := lib/pci/pci_ecam.c lib/pci/pci_windows.c
pci_test_SRCS := lib/pci/pci.c $(ADDRESS)

# ---- lib/uart/ ----
uart_test_SRCS := tests/unit/lib/uart/uart_model.c

# ---- plugin/ ----
plugin_chain_test_SRCS := plugin/chain.c
plugin_calls_test_SRCS := plugin/calls.c
stage_test_SRCS := plugin/stage.c

# ---- pmu/ ----
# Tests of counter drivers share a rig, and those of a maker's a model.
INTEL_TESTS := x86_tick_test intel_pmu_test intel_lbr_test intel_pebs_test intel_interrupt_test intel_pmu_cpus_test x86_assignment_test
AMD_TESTS := amd_pmu_test amd_lbr_test
IBS_TESTS := amd_ibs_test amd_ibs_sample_test
$(foreach test,$(INTEL_TESTS) $(AMD_TESTS) $(IBS_TESTS) arm_pmuv3_test arm_pmuv3_cpus_test arm_pmuv3_instructions_test arm_brbe_test,\
	$(eval $(test)_SRCS += tests/unit/pmu/counter_rig.c) \
	$(eval build/host/tests/$(test): tests/unit/pmu/counter_rig.h))
$(foreach test,$(INTEL_TESTS),$(eval $(test)_SRCS += tests/unit/pmu/x86/intel_model.c tests/unit/pmu/x86/lbr_model.c \
	tests/unit/pmu/x86/pebs_model.c))
$(foreach test,$(AMD_TESTS),$(eval $(test)_SRCS += tests/unit/pmu/x86/amd_model.c) \
	$(eval build/host/tests/$(test): tests/unit/pmu/x86/amd_model.h))
$(foreach test,$(IBS_TESTS),$(eval $(test)_SRCS += tests/unit/pmu/x86/ibs/ibs_model.c) \
	$(eval build/host/tests/$(test): tests/unit/pmu/x86/ibs/ibs_model.h))
$(foreach test,amd_lbr_test intel_lbr_test,$(eval $(test)_SRCS += tests/unit/pmu/x86/lbr_rig.c) \
	$(eval build/host/tests/$(test): tests/unit/pmu/x86/lbr_rig.h))
$(foreach test,arm_pmuv3_test arm_pmuv3_cpus_test arm_pmuv3_instructions_test arm_brbe_test,$(eval $(test)_SRCS += tests/unit/pmu/arm/arm_pmuv3_model.c))
# As in the product, without sanitizers, because it is single-stepped.
mark_plain_test_SRCS := agent/payload/payload_calls.c agent/payload/payload_run.c lib/print.c pmu/software/marks.c \
	ringbuf/ring.c ringbuf/ring_setup.c ringbuf/owner.c ringbuf/reader/ring_reader.c
mark_plain_test_CFLAGS := -O2 -DRING_FAULTS_CHOSEN_LATER -Iworkload/sdk/include
build/host/tests/mark_plain_test: pmu/mark.h $(wildcard ringbuf/*.h)
$(foreach test,sampling_test throttle_test event_test,$(eval $(test)_SRCS += tests/unit/pmu/sampling_rig.c))
$(foreach test,context_test context_rate_test context_pause_test,$(eval $(test)_SRCS += tests/unit/pmu/context_rig.c))

# ---- pmu/arm/ ----
$(foreach test,arm_spe_test arm_spe_buffer_test arm_spe_counts_test,$(eval $(test)_SRCS += tests/unit/pmu/arm/arm_spe_rig.c))

# ---- pmu/x86/ ----
$(foreach test,intel_bts_test intel_bts_switch_test intel_bts_entry_test,\
	$(eval $(test)_SRCS += tests/unit/pmu/x86/bts_rig.c) \
	$(eval build/host/tests/$(test): tests/unit/pmu/x86/bts_rig.c tests/unit/pmu/x86/bts_rig.h))

# ---- workload/sdk/ ----
arguments_test_SRCS := workload/sdk/arguments.c
payload_threads_tsan_test_CFLAGS := -Itests/unit/workload/sdk/newlib -Iworkload/sdk/include \
	-include tests/unit/workload/sdk/host_cpus_between.h
payload_threads_tsan_test_SRCS := tests/unit/workload/sdk/host_cpus.c agent/payload/payload_threads.c \
	$(addprefix workload/sdk/threads/,thread.c pthread.c pthread_key.c lock.c sync.c wait.c)
sync_tsan_test_SRCS := workload/sdk/threads/sync.c workload/sdk/threads/wait.c

# ---- Tests that call the firmware: a fake one, by its own headers ----
$(foreach test,efi_image_name_fuzz \
	boot_services_end_test \
	boot_until_test \
	image_frames_test \
	image_records_test \
	registration_test \
	shell_text_test \
	uefi_phases_test \
	hosted_test \
	efi_drivers_test efi_file_path_test efi_images_test \
	kept_test \
	pci_claim_test \
	pci_test,\
	$(eval $(test)_CFLAGS = $(fake_firmware_CFLAGS)))

# ---- lib/ ----
# Each access is a call, and stays as the source has it.
mem_device_plain_test_SRCS := lib/memory/mem.c ringbuf/stream.c ringbuf/region_writer.c
mem_device_plain_test_CFLAGS := -fsanitize=kernel-address --param asan-instrumentation-with-call-threshold=0 \
	--param asan-stack=0 --param asan-globals=0 -fno-builtin -fno-tree-loop-distribute-patterns
