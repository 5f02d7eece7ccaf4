/* SPDX-License-Identifier: MIT */
/*
 * An image that behaves as if firmware with FEAT_VHE had booted it (HCR_EL2.E2H = 1, other layouts
 * of TCR_EL2 and CPTR_EL2), takes the machine over, gives it back, and prints TAP.
 */
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/saved.h"
#include "arch/aarch64/sysreg.h"
#include "lib/image.h"
#include "tests/firmware/image.h"

#define ID_AA64MMFR1_VH   8
#define CPTR_EL2_FPEN_E2H (3UL << 20)
#define RAM               0x40000000UL /* QEMU's virt */

static struct mmu_tables tables;
static struct arm_saved firmware;
static struct arm_mmu vhe;
static uint64_t firmware_cptr;
static volatile unsigned ticks;

/* With E2H = 1 the tables have EL1's layout. */
static int make_tables(void)
{
	const struct arch_mapping maps[] = {
		{ RAM, 256UL << 20, ARCH_MAP_DATA },
		{ (uint64_t)__text_start, (uint64_t)(__text_end - __text_start), ARCH_MAP_CODE },
		{ test_platform.uart.address, 4096, ARCH_MAP_DEVICE },
		{ test_platform.gicd, 0x10000, ARCH_MAP_DEVICE },
		{ test_platform.gicr[0].address, test_platform.gicr[0].size, ARCH_MAP_DEVICE },
	};
	int code = mmu_tables_init(&tables, MMU_EL1, memory_alloc_pages);

	for (unsigned i = 0; i < sizeof(maps) / sizeof(maps[0]) && !code; i++)
		code = maps[i].size ? mmu_map(&tables, &maps[i]) : 0;
	return code;
}

static void become_vhe(void)
{
	arm_save_translation(&firmware);
	firmware_cptr = read_sysreg(cptr_el2);
	vhe = (struct arm_mmu){
		.sctlr = SCTLR_EL1_RES1 | SCTLR_M | SCTLR_C | SCTLR_I,
		.tcr = mmu_tcr(MMU_EL1),
		.ttbr0 = (uint64_t)tables.root,
		.mair = mmu_mair(),
		.hcr = firmware.mmu.hcr | HCR_E2H,
	};
	__asm__ volatile("msr daifset, #15" : : : "memory");
	mmu_clean(arm_mmu_switch, arm_mmu_switch_end);
	arm_mmu_switch(&vhe);
	write_sysreg(cptr_el2, CPTR_EL2_FPEN_E2H);
	isb();
}

static void tick(const struct arch_regs *regs)
{
	(void)regs;
	ticks++;
	arch_timer_arm(arch_cycles() + test_clock.frequency / 1000);
}

static int payload(void *arg)
{
	uint64_t end = arch_cycles() + test_clock.frequency / 100;

	__asm__ volatile("mrs %0, CurrentEL\n\tmsr daifset, #15" : "=r"(*(uint64_t *)arg));
	while (arch_cycles() < end)
		arch_relax();
	return 7;
}

static int story(void *arg)
{
	uint64_t level = 0;

	(void)arg;
	test_start();
	console_printf("\n");
	tap_equal(read_sysreg(hcr_el2) & HCR_E2H, 0, "the machine is ours with E2H = 0");
	arch_timer_init(tick);
	arch_timer_arm(arch_cycles());
	arch_irq_enable();
	tap_equal((uint64_t)arch_call_payload(payload, &level), 7, "a payload runs");
	tap_equal(level >> CURRENT_EL_SHIFT, 1, "at EL1");
	tap_ok(ticks >= 5, "and is interrupted though it masks everything");
	arch_irq_disable();
	arch_timer_disarm();
	return 5;
}

static void test_return(void)
{
	tap_equal(read_sysreg(hcr_el2), vhe.hcr, "given back, E2H is 1 as before");
	tap_equal(read_sysreg(tcr_el2), vhe.tcr, "and so is the layout of TCR_EL2");
	tap_equal(read_sysreg(ttbr0_el2), vhe.ttbr0, "the page tables");
	tap_equal(read_sysreg(cptr_el2), CPTR_EL2_FPEN_E2H, "and CPTR_EL2");
}

static void run(void)
{
	int code;

	become_vhe();
	code = arch_take_over(story, NULL);
	tap_equal((uint64_t)code, 5, "the story's result comes back");
	arch_give_back();
	test_return();
	write_sysreg(cptr_el2, firmware_cptr);
	arm_mmu_switch(&firmware.mmu);
}

static bool can_run(void)
{
	return current_el() == 2 && read_sysreg(id_aa64mmfr1_el1) >> ID_AA64MMFR1_VH & 0xf;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	efi_begin(image, system);
	if (memory_init() != 0)
		return EFI_OUT_OF_RESOURCES;
	test_platform = *platform_init(ARCH_TABLES_NONE);
	if (!can_run()) {
		console_printf(
		    "\nok 1 - taken with E2H = 1 # SKIP the CPU has no FEAT_VHE at EL2\n");
		tap_results = 1;
	} else if (make_tables() != 0 || memory_prepare(&test_platform) != 0 ||
	           memory_exit_boot_services() != 0) {
		return EFI_OUT_OF_RESOURCES;
	} else {
		run();
	}
	tap_finish();
	efi_system->RuntimeServices->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
	return EFI_ABORTED;
}
