/* SPDX-License-Identifier: MIT */
#include "agent/describe.h"

#include <string.h>

#include "agent/record/record.h"
#include "lib/image.h"

static char describe_name[ARCH_HYPERVISOR];
_Static_assert(ARCH_HYPERVISOR == sizeof(((struct tr_cpu *)0)->hypervisor), "arch.h");

void describe_cpus(const struct trace_region *region, const struct arch_platform *platform,
                   uint32_t count)
{
	arch_hypervisor(platform, describe_name);
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		struct tr_cpu *entry = &region->cpus[cpu];

		entry->cpu = cpu;
		record_describe_cpu(entry);
		trace_region_put_text(entry->hypervisor, sizeof(entry->hypervisor), describe_name);
		entry->hw_id = cpu ? platform->cpus[cpu].hw_id : entry->hw_id;
	}
	region->cpus[0].flags = TR_CPU_BOOT | TR_CPU_ONLINE;
}

const char *describe_hypervisor(void)
{
	return describe_name;
}

/* The ELF note of linker.ld: a header of 12 bytes, "GNU", the SHA-1. */
void describe_image(const struct trace_region *region)
{
	struct tr_image *entry = &region->images[0];

	entry->address = (uintptr_t)__text_start;
	entry->size = (uint64_t)(__text_end - __text_start);
	entry->link_address = (uint64_t)(__text_start - __image_start);
	entry->build_id_size = sizeof(entry->build_id);
	memcpy(entry->build_id, __build_id_note_start + 16, sizeof(entry->build_id));
	trace_region_put_text(entry->name, sizeof(entry->name), "bareperf");
	region->header->images.count = 1;
}
