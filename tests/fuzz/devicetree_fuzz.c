/* SPDX-License-Identifier: MIT */
/*
 * A device tree of any content, parsed by our reader and libfdt; libfdt has sanitizers if its
 * source is available. The page after the tree faults in any case. The magic and the length are
 * corrected first, because otherwise few inputs would get past them.
 */
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "lib/devicetree/devicetree.h"
#include "lib/devicetree/devicetree_times.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/guarded.h"

#define BASE     0x40000000U
#define TREE_MAX 65536U
#define DTC      "dtc -q -I dts -O dtb tests/unit/lib/trees/"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *memory;
static size_t memory_size;

static const void *view(uint64_t address, size_t size)
{
	if (address < BASE || size > memory_size || address - BASE > memory_size - size)
		return NULL;
	return memory + (address - BASE);
}

static void ignore(const char *format, ...)
{
	(void)format;
}

/* The firmware's own times: each name is printable and fits. */
static void tell(void *context, uint64_t ns, const char *name)
{
	size_t length = strnlen(name, FIRMWARE_TIME_NAME);

	(void)context;
	if (!ns || !length || length == FIRMWARE_TIME_NAME)
		abort();
	for (size_t i = 0; i < length; i++) {
		if (name[i] < ' ' || name[i] > '~')
			abort();
	}
}

static int parse(const uint8_t *data, size_t size, struct arch_platform *platform)
{
	int code;

	memory = guarded_alloc(size);
	memory_size = size;
	if (size != 0)
		memcpy(memory, data, size);
	if (size >= sizeof(struct fdt_header)) {
		fdt_set_magic(memory, FDT_MAGIC);
		fdt_set_totalsize(memory, (uint32_t)size);
	}
	code = devicetree_parse(BASE, 0, view, ignore, platform);
	devicetree_bootstage(BASE, view, tell, NULL);
	devicetree_coreboot(BASE, view);
	guarded_free(memory, size);
	return code;
}

/* The seed of a tree's source text, which the unit tests have. */
static void seed_with(int argc, char **argv, const char *name)
{
	static struct arch_platform platform;
	static uint8_t tree[TREE_MAX];
	char command[128];
	size_t size;
	FILE *dtc;

	snprintf(command, sizeof(command), DTC "%s.dts", name);
	dtc = popen(command, "r");
	if (!dtc)
		abort();
	size = fread(tree, 1, sizeof(tree), dtc);
	if (pclose(dtc) || parse(tree, size, &platform) || platform.cpu_count < 3 || !platform.gicd)
		abort();
	fuzz_seed(argc, argv, name, tree, size);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	seed_with(*argc, *argv, "pi4");
	seed_with(*argc, *argv, "server");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arch_platform platform;

	if (parse(data, size, &platform) && platform.cpu_count)
		abort();
	if (platform.cpu_count > ARCH_MAX_CPUS || platform.gicr_count > ARCH_MAX_GICR_AREAS ||
	    platform.ecam_count > ARCH_MAX_ECAMS || platform.reserved_count > ARCH_MAX_RESERVED)
		abort();
	for (unsigned i = 0; i < platform.cpu_count; i++)
		if (platform.cpus[i].pmu_interrupt >= 1020)
			abort();
	return 0;
}
