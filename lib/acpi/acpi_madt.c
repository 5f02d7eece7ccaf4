/* SPDX-License-Identifier: MIT */
/* MADT: CPUs and interrupt controllers. ACPI 6.5, 5.2.12. */
#include "lib/acpi/acpi_tables.h"

enum madt_type { /* table 5.21 */
	         MADT_LOCAL_APIC = 0,
	         MADT_IO_APIC = 1,
	         MADT_LOCAL_X2APIC = 9,
	         MADT_GICC = 11,
	         MADT_GICD = 12,
	         MADT_GICR = 14,
	         MADT_ITS = 15,
};

#define CPU_ENABLED 1U
#define PMU_EDGE    2U /* flag of a GICC: "Performance Interrupt Mode" */

/* The new CPU; NULL: it is not usable, or there is no room for it. */
static struct arch_platform_cpu *acpi_add_cpu(struct arch_platform *platform, uint64_t hw_id,
                                              uint32_t flags)
{
	struct arch_platform_cpu *cpu = &platform->cpus[platform->cpu_count];

	if (!(flags & CPU_ENABLED) || platform->cpu_count == ARCH_MAX_CPUS)
		return NULL;
	for (unsigned i = 0; i < platform->cpu_count; i++)
		if (platform->cpus[i].hw_id == hw_id)
			return NULL; /* an APIC and an x2APIC structure may name the same CPU */
	platform->cpu_count++;
	cpu->hw_id = hw_id;
	return cpu;
}

static void acpi_add_gicr(struct arch_platform *platform, uint64_t address, uint64_t size)
{
	if (address == 0 || platform->gicr_count == ARCH_MAX_GICR_AREAS)
		return;
	platform->gicr[platform->gicr_count].address = address;
	platform->gicr[platform->gicr_count++].size = size;
}

/* 5.2.12.14; the SPE interrupt came with ACPI 6.3 */
static void acpi_parse_gicc(const uint8_t *entry, unsigned length, struct arch_platform *platform)
{
	uint32_t flags = acpi_u32(entry + 12);
	struct arch_platform_cpu *cpu;

	if (!(flags & CPU_ENABLED))
		return;
	cpu = acpi_add_cpu(platform, acpi_u64(entry + 68), flags);
	if (cpu) {
		cpu->pmu_interrupt = acpi_u32(entry + 20);
		cpu->pmu_edge = flags & PMU_EDGE;
	}
	acpi_add_gicr(platform, acpi_u64(entry + 60), 0);
	if (platform->gicc == 0)
		platform->gicc = acpi_u64(entry + 32);
	if (platform->spe_interrupt == 0 && length >= 80)
		platform->spe_interrupt = acpi_u16(entry + 78);
}

static void acpi_parse_entry(const uint8_t *entry, unsigned length, struct arch_platform *platform)
{
	unsigned type = entry[0];

	if (type == MADT_LOCAL_APIC && length >= 8) {
		acpi_add_cpu(platform, entry[3], acpi_u32(entry + 4));
	} else if (type == MADT_LOCAL_X2APIC && length >= 16) {
		acpi_add_cpu(platform, acpi_u32(entry + 4), acpi_u32(entry + 8));
	} else if (type == MADT_IO_APIC && length >= 12) {
		if (platform->ioapic_count < ARCH_MAX_IOAPICS)
			platform->ioapics[platform->ioapic_count++] = acpi_u32(entry + 4);
	} else if (type == MADT_GICC && length >= 76) {
		acpi_parse_gicc(entry, length, platform);
	} else if (type == MADT_GICD && length >= 24) {
		platform->gicd = acpi_u64(entry + 8);
		platform->gic_version = entry[20];
	} else if (type == MADT_GICR && length >= 16) {
		acpi_add_gicr(platform, acpi_u64(entry + 4), acpi_u32(entry + 12));
	} else if (type == MADT_ITS && length >= 20 && platform->gic_its == 0) {
		platform->gic_its = acpi_u64(entry + 8);
	}
}

/* Redistributors are described by areas or for each CPU. If there are areas, they are used, because
 * they cover all. */
static void acpi_prefer_gicr_areas(struct arch_platform *platform)
{
	unsigned areas = 0;

	for (unsigned i = 0; i < platform->gicr_count; i++)
		if (platform->gicr[i].size != 0)
			platform->gicr[areas++] = platform->gicr[i];
	if (areas != 0)
		platform->gicr_count = areas;
}

void acpi_parse_madt(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	uint32_t at = 44, length;

	for (; size - at >= 2; at += length) {
		length = table[at + 1];
		if (length < 2 || length > size - at)
			break; /* with a wrong length the next entry cannot be found */
		acpi_parse_entry(table + at, length, platform);
	}
	acpi_prefer_gicr_areas(platform);
}
