/* SPDX-License-Identifier: MIT */
/* The machine's description in a perf.data file. */
#include "writer/session/perf_features_machine.h"

#include <stdio.h>
#include <string.h>

#include "abi/event_types.h"

#define CLOCK_MONOTONIC_RAW_ID 4U /* Linux's: ns since some moment, as the hardware counts them */

void perf_feature_nrcpus(struct blob *blob, const struct perf_features_input *in)
{
	uint32_t online = 0;

	for (uint32_t i = 0; i < in->region->header.cpus.count; i++)
		online += !!(in->region->cpus[i].flags & TR_CPU_ONLINE);
	blob_u32(blob, in->region->header.cpus.count);
	blob_u32(blob, online ? online : in->region->header.cpus.count);
}

/* The sums over all CPUs of the time that a hypervisor took, in ns. */
struct machine_taken {
	uint64_t stolen, uncounted; /* see struct tr_cpu */
	bool reports_steal;
};

static struct machine_taken machine_taken(const struct region *region)
{
	struct machine_taken sum = { 0 };

	for (uint32_t i = 0; i < region->header.cpus.count; i++) {
		const struct tr_cpu *cpu = &region->cpus[i];

		sum.uncounted += cpu->uncounted;
		sum.stolen += cpu->flags & TR_CPU_STEAL ? cpu->stolen : 0;
		sum.reports_steal |= cpu->flags & TR_CPU_STEAL;
	}
	return sum;
}

/* Append ", 1.234 ms WHAT" to a text of this size. */
static void machine_put_ms(char *text, size_t size, uint64_t ns, const char *what)
{
	size_t used = strlen(text);

	ns += 500; /* rounded, as in the lines that the tool prints */
	snprintf(text + used, size - used, ", %llu.%03llu ms %s", (unsigned long long)ns / 1000000,
	         (unsigned long long)ns / 1000 % 1000, what);
}

void perf_feature_cpudesc(struct blob *blob, const struct perf_features_input *in)
{
	char text[sizeof(in->region->cpus->model) + 1] = "", whole[224];
	char hypervisor[sizeof(in->region->cpus->hypervisor) + 1] = "", taken[96] = "";
	struct machine_taken sum = machine_taken(in->region);

	if (in->region->header.cpus.count) {
		region_printable(text, sizeof(text), in->region->cpus[0].model,
		                 sizeof(in->region->cpus[0].model));
		region_printable(hypervisor, sizeof(hypervisor), in->region->cpus[0].hypervisor,
		                 sizeof(in->region->cpus[0].hypervisor));
	}
	if (sum.reports_steal)
		machine_put_ms(taken, sizeof(taken), sum.stolen, "stolen");
	if (sum.uncounted)
		machine_put_ms(taken, sizeof(taken), sum.uncounted, "not counted");
	snprintf(whole, sizeof(whole), "%s%s%s%s%s", *text ? text : "unknown",
	         *hypervisor ? " (virtual: " : "", hypervisor, *hypervisor ? taken : "",
	         *hypervisor ? ")" : "");
	blob_perf_string(blob, whole);
}

/* perf's cpuid: vendor,family,model,stepping of CPUID.01H:EAX (SDM vol. 2A, CPUID), or the
 * MIDR in hexadecimal. */
void perf_feature_cpuid(struct blob *blob, const struct perf_features_input *in)
{
	const struct tr_cpu *cpu = in->region->cpus;
	char vendor[sizeof(cpu->vendor) + 1], text[64] = "unknown";

	if (in->region->header.cpus.count && in->region->header.machine == EM_AARCH64) {
		snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)cpu->signature);
	} else if (in->region->header.cpus.count) {
		unsigned eax = (unsigned)cpu->signature;
		unsigned family = eax >> 8 & 15, model = eax >> 4 & 15;

		if (family == 6 || family == 15)
			model |= (eax >> 16 & 15) << 4;
		if (family == 15)
			family += eax >> 20 & 255;
		region_printable(vendor, sizeof(vendor), cpu->vendor, sizeof(cpu->vendor));
		snprintf(text, sizeof(text), "%s,%u,%u,%u", vendor, family, model, eax & 15);
	}
	blob_perf_string(blob, text);
}

void perf_feature_total_mem(struct blob *blob, const struct perf_features_input *in)
{
	if (in->region->header.memory)
		blob_u64(blob, in->region->header.memory / 1024);
}

/* Append the list of the CPUs for which `like` is true, in perf's form: "0-2,5". */
static void features_add_cpus(struct blob *blob, const struct region *region,
                              bool (*like)(const struct tr_cpu *cpu, const struct tr_cpu *of),
                              const struct tr_cpu *of)
{
	const struct tr_cpu *cpus = region->cpus;
	uint32_t count = region->header.cpus.count;
	struct blob text = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = i;

		if (!like(&cpus[i], of))
			continue;
		while (i + 1 < count && like(&cpus[i + 1], of))
			i++;
		blob_printf(&text, "%s%u", text.size ? "," : "", first);
		if (i > first)
			blob_printf(&text, "-%u", i);
	}
	blob_add(&text, "", 1);
	if (text.failed)
		blob->failed = true;
	else
		blob_perf_string(blob, (const char *)text.bytes);
	blob_free(&text);
}

static bool features_is_any(const struct tr_cpu *cpu, const struct tr_cpu *of)
{
	(void)cpu;
	(void)of;
	return true;
}

static uint64_t features_package_of(const struct tr_cpu *cpu)
{
	return cpu->hw_id >> (cpu->package_shift & 63);
}

/* The core's number within its package. */
static uint64_t features_core_of(const struct tr_cpu *cpu)
{
	uint64_t below = cpu->hw_id & ((1ULL << (cpu->package_shift & 63)) - 1);

	return below >> (cpu->core_shift & 63);
}

static bool features_is_same_package(const struct tr_cpu *cpu, const struct tr_cpu *of)
{
	return features_package_of(cpu) == features_package_of(of);
}

static bool features_is_same_core(const struct tr_cpu *cpu, const struct tr_cpu *of)
{
	return features_is_same_package(cpu, of) && features_core_of(cpu) == features_core_of(of);
}

/* Append a count, and a list for each set of equal CPUs, at the place of the set's first CPU. */
static void features_add_siblings(struct blob *blob, const struct region *region,
                                  bool (*like)(const struct tr_cpu *cpu, const struct tr_cpu *of))
{
	size_t at = blob->size;
	uint32_t sets = 0;

	blob_u32(blob, 0);
	for (uint32_t i = 0; i < region->header.cpus.count; i++) {
		uint32_t first = 0;

		while (!like(&region->cpus[first], &region->cpus[i]))
			first++;
		if (first < i)
			continue;
		features_add_cpus(blob, region, like, &region->cpus[i]);
		sets++;
	}
	if (!blob->failed)
		memcpy(blob->bytes + at, &sets, sizeof(sets));
}

/* CPU_TOPOLOGY: siblings by package, siblings by core; each CPU's {core, package}; and the same for
 * dies, which are not known: each package has one. */
void perf_feature_cpu_topology(struct blob *blob, const struct perf_features_input *in)
{
	const struct region *region = in->region;
	uint32_t count = region->header.cpus.count;

	for (uint32_t i = 0; i < count; i++) {
		if (!region->cpus[i].package_shift)
			return; /* not known */
	}
	if (!count)
		return;
	features_add_siblings(blob, region, features_is_same_package);
	features_add_siblings(blob, region, features_is_same_core);
	for (uint32_t i = 0; i < count; i++) {
		blob_u32(blob, (uint32_t)features_core_of(&region->cpus[i]));
		blob_u32(blob, (uint32_t)features_package_of(&region->cpus[i]));
	}
	features_add_siblings(blob, region, features_is_same_package);
	for (uint32_t i = 0; i < count; i++)
		blob_u32(blob, 0);
}

/* NUMA_TOPOLOGY: {node, kB of memory, kB free, CPUs}. One node, since ACPI's SRAT is not read; perf
 * c2c needs at least one. The free memory is unknown. */
void perf_feature_numa_topology(struct blob *blob, const struct perf_features_input *in)
{
	if (!in->region->header.cpus.count)
		return;
	blob_u32(blob, 1);
	blob_u32(blob, 0);
	blob_u64(blob, in->region->header.memory / 1024);
	blob_u64(blob, 0);
	features_add_cpus(blob, in->region, features_is_any, NULL);
}

/* MEM_TOPOLOGY: version, bytes of a block, {node, bits, bits again, bit map of its blocks}. The one
 * node has all addresses: one block of them. perf c2c warns without. */
void perf_feature_mem_topology(struct blob *blob, const struct perf_features_input *in)
{
	const uint64_t words[] = { 1, 1ULL << 52, 1, 0, 1, 1, 1 };

	if (in->region->header.cpus.count)
		blob_add(blob, words, sizeof(words));
}

/* Whether an event of the region has this type. The machine determines which source counts Linux's
 * generic and raw events: on Arm the source also has a type of its own. */
static bool features_is_used(const struct region *region, uint32_t type)
{
	bool used = false;

	for (uint32_t i = 0; i < region->header.events.count; i++) {
		uint32_t of = region->events[i].attr.type;

		used = used || of == type || (type == PERF_TYPE_RAW && of == PERF_TYPE_HARDWARE);
	}
	return used && !(type == PERF_TYPE_RAW && region->header.machine == EM_AARCH64);
}

/* PMU_MAPPINGS: {type, name} of the sources whose events are in the file, and of "software", which
 * every Linux has. */
static const struct event_type_name sources[] = { EVENT_TYPE_NAMES };

void perf_feature_pmu_mappings(struct blob *blob, const struct perf_features_input *in)
{
	uint32_t count = 0;

	blob_u32(blob, 0);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		if (sources[i].type != PERF_TYPE_SOFTWARE &&
		    !features_is_used(in->region, sources[i].type))
			continue;
		blob_u32(blob, sources[i].type);
		blob_perf_string(blob, sources[i].source);
		count++;
	}
	if (!blob->failed)
		memcpy(blob->bytes, &count, sizeof(count));
}

/* CLOCKID: the resolution of timestamps in ns. */
void perf_feature_clockid(struct blob *blob, const struct perf_features_input *in)
{
	uint64_t frequency = in->region->header.clock.frequency;

	if (frequency)
		blob_u64(blob, (1000000000 + frequency - 1) / frequency);
}

/* CLOCK_DATA: version, clock, and one moment by the wall clock and by the machine's clock, in ns:
 * the machine's 0 is its entry, whose second the firmware knows. */
void perf_feature_clock_data(struct blob *blob, const struct perf_features_input *in)
{
	if (!in->region->header.clock.entry_epoch)
		return;
	blob_u32(blob, 1);
	blob_u32(blob, CLOCK_MONOTONIC_RAW_ID);
	blob_u64(blob, in->region->header.clock.entry_epoch * 1000000000);
	blob_u64(blob, 0);
}
