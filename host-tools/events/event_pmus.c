/* SPDX-License-Identifier: MIT */
/* Models by the Intel SDM (volume 4, table 2-1), AMD's PPRs and the MIDR of the cores' manuals, if
 * libpfm4 has tables for them. */
#include "host-tools/events/event_pmus.h"

#include <stddef.h>
#include <string.h>

#include "abi/machine.h"

#define MODELS       7
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Family 6; a model 0 ends the list. */
static const struct {
	const char *pmu;
	uint8_t models[MODELS];
} intel[] = {
	{ "core", { 15, 23, 29 } }, { "atom", { 28, 38, 39, 53, 54 } },
	{ "nhm", { 26, 30, 31 } },  { "nhm_ex", { 46 } },
	{ "wsm", { 37 } },          { "wsm_dp", { 44, 47 } },
	{ "snb", { 42 } },          { "snb_ep", { 45 } },
	{ "ivb", { 58 } },          { "ivb_ep", { 62 } },
	{ "hsw", { 60, 69, 70 } },  { "hsw_ep", { 63 } },
	{ "bdw", { 61, 71 } },      { "bdw_ep", { 79, 86 } },
	{ "slm", { 55, 76, 77 } },  { "glm", { 92, 95 } },
	{ "tmt", { 134, 150 } },    { "skl", { 78, 94, 142, 158, 165, 166 } },
	{ "skx", { 85 } },          { "icl", { 108, 125, 126, 140, 141, 157, 167 } },
	{ "icx", { 106 } },         { "spr", { 143 } },
	{ "knl", { 87 } },          { "knm", { 133 } },
};

#define CASCADE_LAKE_STEPPING 5 /* the first stepping with Skylake X's model */

static const struct {
	const char *pmu;
	uint16_t family;
	uint8_t first, last; /* model */
} amd[] = {
	{ "amd64_fam10h_barcelona", 0x10, 2, 2 },    { "amd64_fam10h_shanghai", 0x10, 4, 6 },
	{ "amd64_fam10h_istanbul", 0x10, 8, 10 },    { "amd64_fam11h_turion", 0x11, 0, 255 },
	{ "amd64_fam12h_llano", 0x12, 0, 255 },      { "amd64_fam14h_bobcat", 0x14, 0, 255 },
	{ "amd64_fam15h_interlagos", 0x15, 0, 255 }, { "amd64_fam16h", 0x16, 0, 255 },
	{ "amd64_fam17h_zen1", 0x17, 0, 0x2f },      { "amd64_fam17h_zen2", 0x17, 0x30, 255 },
	{ "amd64_fam19h_zen3", 0x19, 0, 0x0f },      { "amd64_fam19h_zen4", 0x19, 0x10, 0x1f },
	{ "amd64_fam19h_zen3", 0x19, 0x20, 0x5f },   { "amd64_fam19h_zen4", 0x19, 0x60, 0xaf },
};

static const struct {
	const char *pmu;
	uint8_t implementer;
	uint16_t part;
} arm[] = {
	{ "arm_ac53", 0x41, 0xd03 },      { "arm_ac57", 0x41, 0xd07 },
	{ "arm_n1", 0x41, 0xd0c },        { "arm_v1", 0x41, 0xd40 },
	{ "arm_n2", 0x41, 0xd49 },        { "arm_v2", 0x41, 0xd4f },
	{ "arm_thunderx2", 0x42, 0x516 }, { "arm_thunderx2", 0x43, 0x0af },
	{ "arm_a64fx", 0x46, 0x001 },     { "arm_kunpeng", 0x48, 0xd01 },
	{ "arm_xgene", 0x50, 0x000 },
};

static const char *intel_pmu(unsigned model, unsigned stepping)
{
	if (model == 85 && stepping >= CASCADE_LAKE_STEPPING)
		return "clx";
	for (size_t i = 0; i < COUNT(intel); i++) {
		if (memchr(intel[i].models, (int)model, MODELS))
			return intel[i].pmu;
	}
	return NULL;
}

static const char *amd_pmu(unsigned family, unsigned model)
{
	for (size_t i = 0; i < COUNT(amd); i++) {
		if (amd[i].family == family && model >= amd[i].first && model <= amd[i].last)
			return amd[i].pmu;
	}
	return NULL;
}

/* The display family and model of CPUID.01H:EAX (SDM volume 2A). */
static const char *x86_pmu(const char *vendor, uint64_t signature)
{
	unsigned family = signature >> 8 & 0xf, model = signature >> 4 & 0xf;

	if (family == 6 || family == 15)
		model |= (signature >> 12 & 0xf0);
	if (family == 15)
		family += signature >> 20 & 0xff;
	if (!strcmp(vendor, "GenuineIntel"))
		return family == 6 && model ? intel_pmu(model, signature & 0xf) : NULL;
	return strcmp(vendor, "AuthenticAMD") ? NULL : amd_pmu(family, model);
}

static const char *arm_pmu(uint64_t midr)
{
	for (size_t i = 0; i < COUNT(arm); i++) {
		if (arm[i].implementer == (midr >> 24 & 0xff) && arm[i].part == (midr >> 4 & 0xfff))
			return arm[i].pmu;
	}
	return NULL;
}

const char *event_pmu_of(const struct event_cpu *cpu)
{
	if (cpu->pmu)
		return cpu->pmu;
	if (cpu->machine == EM_AARCH64)
		return arm_pmu(cpu->signature);
	return cpu->machine == EM_X86_64 ? x86_pmu(cpu->vendor, cpu->signature) : NULL;
}

const char *event_pmu_common(uint16_t machine)
{
	return machine == EM_AARCH64 ? "arm_n2" : NULL;
}

bool event_is_common(uint16_t machine, uint64_t config)
{
	return machine == EM_AARCH64 && (config < 0x40 || (config >= 0x4000 && config < 0x4040));
}
