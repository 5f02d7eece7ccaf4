/* SPDX-License-Identifier: MIT */
/* MIDR_EL1 as text: Arm ARM DDI 0487, D17.2.100; part numbers from the cores' manuals. */
#include "abi/machine.h"
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"

#define MIDR_IMPLEMENTER(midr) ((midr) >> 24 & 0xff)
#define MIDR_VARIANT(midr)     ((midr) >> 20 & 0xf)
#define MIDR_PART(midr)        ((midr) >> 4 & 0xfff)
#define MIDR_REVISION(midr)    ((midr)&0xf)

#define CTR_DMINLINE 16 /* CTR_EL0, 4 bits: log2 of the smallest line's words */

static const struct {
	uint8_t code;
	const char *name;
} implementers[] = {
	{ 0x41, "Arm" },       { 0x42, "Broadcom" }, { 0x43, "Cavium" }, { 0x46, "Fujitsu" },
	{ 0x48, "HiSilicon" }, { 0x4e, "NVIDIA" },   { 0x50, "Ampere" }, { 0x51, "Qualcomm" },
	{ 0x61, "Apple" },     { 0xc0, "Ampere" },
};

/* Arm's own cores */
static const struct {
	uint16_t part;
	const char *name;
} arm_parts[] = {
	{ 0xd03, "Cortex-A53" }, { 0xd04, "Cortex-A35" },  { 0xd05, "Cortex-A55" },
	{ 0xd07, "Cortex-A57" }, { 0xd08, "Cortex-A72" },  { 0xd09, "Cortex-A73" },
	{ 0xd0a, "Cortex-A75" }, { 0xd0b, "Cortex-A76" },  { 0xd0c, "Neoverse N1" },
	{ 0xd0d, "Cortex-A77" }, { 0xd40, "Neoverse V1" }, { 0xd41, "Cortex-A78" },
	{ 0xd44, "Cortex-X1" },  { 0xd46, "Cortex-A510" }, { 0xd47, "Cortex-A710" },
	{ 0xd48, "Cortex-X2" },  { 0xd49, "Neoverse N2" }, { 0xd4f, "Neoverse V2" },
};

static char *identify_append(char *at, const char *end, const char *text)
{
	while (*text && at < end)
		*at++ = *text++;
	*at = '\0';
	return at;
}

static char *identify_append_number(char *at, const char *end, uint64_t value, unsigned base)
{
	char digits[24];
	unsigned n = sizeof(digits) - 1;

	digits[n] = '\0';
	do {
		digits[--n] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	return identify_append(at, end, &digits[n]);
}

static const char *identify_implementer_name(uint64_t midr)
{
	for (unsigned i = 0; i < sizeof(implementers) / sizeof(implementers[0]); i++) {
		if (implementers[i].code == MIDR_IMPLEMENTER(midr))
			return implementers[i].name;
	}
	return "unknown";
}

static const char *identify_part_name(uint64_t midr)
{
	for (unsigned i = 0; i < sizeof(arm_parts) / sizeof(arm_parts[0]); i++) {
		if (MIDR_IMPLEMENTER(midr) == 0x41 && arm_parts[i].part == MIDR_PART(midr))
			return arm_parts[i].name;
	}
	return NULL;
}

/* Aff0 numbers threads if MPIDR_EL1.MT is set, otherwise cores (D17.2.101). Whether the levels
 * above are packages or clusters is only in ACPI's PPTT. So one package is assumed, as Linux does
 * without a PPTT. */
static void identify_read_topology(struct arch_cpu_id *id)
{
	id->core_shift = read_sysreg(mpidr_el1) & MPIDR_MT ? 8 : 0;
	id->package_shift = 40;
}

void arch_cpu_identify(struct arch_cpu_id *id)
{
	uint64_t midr = read_sysreg(midr_el1);
	const char *part = identify_part_name(midr);
	/* Only an address is taken; this function fills the caller's struct. */
	// cppcheck-suppress ctuuninitvar
	const char *end = id->model + sizeof(id->model) - 1;
	char *at = id->model;

	id->hw_id = read_sysreg(mpidr_el1) & MPIDR_AFFINITY;
	id->signature = midr & 0xffffffff;
	identify_read_topology(id);
	id->cache_line = 4U << (read_sysreg(ctr_el0) >> CTR_DMINLINE & 0xf);
	identify_append(id->vendor, id->vendor + sizeof(id->vendor) - 1,
	                identify_implementer_name(midr));
	if (part) {
		at = identify_append(at, end, part);
	} else {
		at = identify_append(at, end, "part 0x");
		at = identify_append_number(at, end, MIDR_PART(midr), 16);
	}
	at = identify_append(at, end, " r");
	at = identify_append_number(at, end, MIDR_VARIANT(midr), 10);
	at = identify_append(at, end, "p");
	identify_append_number(at, end, MIDR_REVISION(midr), 10);
}

uint16_t arch_elf_machine(void)
{
	return EM_AARCH64;
}
