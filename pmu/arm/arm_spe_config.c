/* SPDX-License-Identifier: MIT */
#include "pmu/arm/arm_spe_config.h"

#include <errno.h>

#include "arch/aarch64/pmu/spe.h"
#include "pmu/arm/arm_spe.h"

/* Linux's numbers. The inverse filters are in config3 and config4. Older perfs' attr lacks them,
 * and no tool reads them, so files have the old attr. */
#define PA_ENABLE   (1ULL << 1)
#define PCT_ENABLE  (1ULL << 2)
#define JITTER      (1ULL << 16)
#define DISCARD     (1ULL << 35)
#define MIN_LATENCY 0xfffU

const struct pmu_format arm_spe_formats[] = {
	{ "ts_enable", 0, 0, 0 },
	{ "pa_enable", 0, 1, 1 },
	{ "pct_enable", 0, 2, 2 },
	{ "jitter", 0, 16, 16 },
	{ "branch_filter", 0, 32, 32 },
	{ "load_filter", 0, 33, 33 },
	{ "store_filter", 0, 34, 34 },
	{ "discard", 0, 35, 35 },
	{ "branch_filter_mask", 0, 36, 36 },
	{ "load_filter_mask", 0, 37, 37 },
	{ "store_filter_mask", 0, 38, 38 },
	{ "simd_filter", 0, 39, 39 },
	{ "simd_filter_mask", 0, 40, 40 },
	{ "float_filter", 0, 41, 41 },
	{ "float_filter_mask", 0, 42, 42 },
	{ "event_filter", 1, 0, 63 },
	{ "min_latency", 2, 0, 11 },
	{ "inv_event_filter", 3, 0, 63 },
	{ "inv_data_src_filter", 4, 0, 63 },
	{ NULL, 0, 0, 0 },
};

/* Kinds of operations: the term's bit of attr.config, and PMSFCR_EL1's. */
static const struct {
	uint64_t term, filter;
} arm_spe_kinds[] = {
	{ 1ULL << 32, PMSFCR_B },    { 1ULL << 33, PMSFCR_LD },    { 1ULL << 34, PMSFCR_ST },
	{ 1ULL << 36, PMSFCR_Bm },   { 1ULL << 37, PMSFCR_LDm },   { 1ULL << 38, PMSFCR_STm },
	{ 1ULL << 39, PMSFCR_SIMD }, { 1ULL << 40, PMSFCR_SIMDm }, { 1ULL << 41, PMSFCR_FP },
	{ 1ULL << 42, PMSFCR_FPm },
};
#define EXTENDED_FILTERS \
	(PMSFCR_SIMD | PMSFCR_FP | PMSFCR_Bm | PMSFCR_LDm | PMSFCR_STm | PMSFCR_SIMDm | PMSFCR_FPm)
#define OTHER_TERMS (ARM_SPE_TS_ENABLE | PA_ENABLE | PCT_ENABLE | JITTER | DISCARD)

struct arm_spe_unit arm_spe_unit;

/* ---- Probing ---- */

/* D17.2: the exception level that owns the buffer, and the register that decides it: a phrase. */
static const char *arm_spe_buffer_owner(void)
{
	uint64_t levels = arch_reg_read(ID_AA64PFR0_EL1);

	if (arm_spe_unit.el2)
		return "the profiling buffer is not Non-secure EL2's: MDCR_EL3.NSPB, which the "
		       "firmware at EL3 has to set";
	if (!(levels >> ID_AA64PFR0_EL2 & 0xf))
		return "the profiling buffer is not Non-secure EL1's: MDCR_EL3.NSPB, which the "
		       "firmware at EL3 has to set";
	if (!(levels >> ID_AA64PFR0_EL3 & 0xf))
		return "the profiling buffer is EL2's: MDCR_EL2.E2PB, which the hypervisor there "
		       "has to set";
	return "the profiling buffer is a higher exception level's: MDCR_EL2.E2PB, which the "
	       "hypervisor at EL2 has to set, or MDCR_EL3.NSPB, the firmware's at EL3";
}

struct interval {
	uint64_t operations;
	const char *too_short;
};

/* PMSIDR_EL1.Interval; reserved values are read as the longest interval. */
static const struct interval *arm_spe_min_interval(uint64_t pmsidr)
{
#define INTERVAL(n)                                                                     \
	{                                                                               \
		n, "period too short: this CPU samples one operation in " #n " at most" \
	}
	static const struct interval intervals[] = {
		[0] = INTERVAL(256),  [2] = INTERVAL(512),  [3] = INTERVAL(768),
		[4] = INTERVAL(1024), [5] = INTERVAL(1536), [6] = INTERVAL(2048),
		[7] = INTERVAL(3072), [8] = INTERVAL(4096),
	};
#undef INTERVAL
	uint64_t field = pmsidr >> PMSIDR_INTERVAL & 0xf;

	return &intervals[field > 8 || !intervals[field].operations ? 8 : field];
}

int arm_spe_probe(const char **why)
{
	uint64_t pmbidr;

	arm_spe_unit.version = arch_reg_read(ID_AA64DFR0_EL1) >> ID_AA64DFR0_PMSVER & 0xf;
	*why =
	    "this CPU has no Statistical Profiling Extension (ID_AA64DFR0_EL1.PMSVer is 0), or "
	    "a hypervisor hides it";
	if (!arm_spe_unit.version)
		return -ENODEV;
	arm_spe_unit.el2 = (arch_reg_read(CURRENT_EL) >> 2 & 3) == 2;
	/* Must be first: if a higher level owns the buffer, reading PMSIDR_EL1 may trap there
	 * (D19). */
	pmbidr = arch_reg_read(PMBIDR_EL1);
	if (pmbidr & PMBIDR_P) {
		*why = arm_spe_buffer_owner();
		return -EBUSY;
	}
	*why = NULL;
	arm_spe_unit.features = arch_reg_read(PMSIDR_EL1);
	arm_spe_unit.min_interval = arm_spe_min_interval(arm_spe_unit.features)->operations;
	arm_spe_unit.max_record = 1ULL << (arm_spe_unit.features >> PMSIDR_MAXSIZE & 0xf);
	arm_spe_unit.align = 1ULL << (pmbidr & PMBIDR_ALIGN);
	return 0;
}

/* A machine may have CPUs of several kinds; the event was checked against one kind. */
int arm_spe_check_cpu(void)
{
	if ((arch_reg_read(ID_AA64DFR0_EL1) >> ID_AA64DFR0_PMSVER & 0xf) != arm_spe_unit.version)
		return -ENXIO;
	if (arch_reg_read(PMBIDR_EL1) & PMBIDR_P)
		return -EBUSY;
	return arch_reg_read(PMSIDR_EL1) == arm_spe_unit.features ? 0 : -ENXIO;
}

/* ---- attr to registers ---- */

/* The events that this version can filter by. */
static uint64_t arm_spe_filterable(void)
{
	uint64_t events = PMSEVFR_V1P0;

	if (arm_spe_unit.version >= PMSVER_V1P1)
		events |= PMSEVFR_V1P1;
	if (arm_spe_unit.version >= PMSVER_V1P2)
		events |= PMSEVFR_V1P2;
	if (arm_spe_unit.version >= PMSVER_V1P4)
		events |= PMSEVFR_V1P4;
	return events;
}

/* Why the CPU cannot filter like this; NULL: it can. */
static const char *arm_spe_lacks(const struct arm_spe_registers *r)
{
	static const struct {
		uint64_t filter, feature;
		const char *why;
	} filters[] = {
		{ PMSFCR_FT, PMSIDR_FT, "this CPU cannot filter operations (PMSIDR_EL1.FT is 0)" },
		{ PMSFCR_FE, PMSIDR_FE, "this CPU cannot filter by events (PMSIDR_EL1.FE is 0)" },
		{ PMSFCR_FL, PMSIDR_FL, "this CPU cannot filter by latency (PMSIDR_EL1.FL is 0)" },
		{ EXTENDED_FILTERS, PMSIDR_EFT,
		  "this CPU has no filters for SIMD and floating point, and no masks "
		  "(PMSIDR_EL1.EFT is 0)" },
		{ PMSFCR_FDS, PMSIDR_FDS,
		  "this CPU cannot filter by data source (PMSIDR_EL1.FDS is 0)" },
		{ PMSFCR_FNE, PMSIDR_FNE,
		  "this CPU cannot filter by events that did not happen (PMSIDR_EL1.FnE is 0)" },
	};

	for (unsigned i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		if (r->pmsfcr & filters[i].filter && !(arm_spe_unit.features & filters[i].feature))
			return filters[i].why;
	}
	if ((r->pmsevfr | r->pmsnevfr) & ~arm_spe_filterable())
		return "its mask has events that this version of SPE (ID_AA64DFR0_EL1.PMSVer) "
		       "cannot filter by";
	if (r->discard && arm_spe_unit.version < PMSVER_V1P2)
		return "discard is SPEv1p2's, and this CPU's version (ID_AA64DFR0_EL1.PMSVer) is "
		       "older";
	return NULL;
}

/* The filters by kind, and the terms that attr.config has beside them. A mask without its filter
 * excludes the kind (D19, PMSFCR_EL1), so a mask alone is a filter too. */
static uint64_t arm_spe_kinds_of(uint64_t config, uint64_t *others)
{
	uint64_t filters = 0;

	*others = config;
	for (unsigned i = 0; i < sizeof(arm_spe_kinds) / sizeof(arm_spe_kinds[0]); i++) {
		filters |= config & arm_spe_kinds[i].term ? arm_spe_kinds[i].filter : 0;
		*others &= ~arm_spe_kinds[i].term;
	}
	return filters;
}

/* A filter that is on but empty would be unpredictable (D19, PMSFCR_EL1), so an empty one is off.
 */
static int arm_spe_set_filters(struct arm_spe_registers *r, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t others;

	r->pmsevfr = attr->config1;
	r->pmsnevfr = event->config3;
	r->pmsdsfr = ~event->config4; /* a set bit lets records of that data source through */
	r->pmslatfr = attr->config2 & MIN_LATENCY;
	r->pmsfcr = arm_spe_kinds_of(attr->config, &others);
	if (others & ~OTHER_TERMS || attr->config2 & ~(uint64_t)MIN_LATENCY)
		return -EINVAL;
	if (r->pmsfcr)
		r->pmsfcr |= PMSFCR_FT;
	if (r->pmsevfr)
		r->pmsfcr |= PMSFCR_FE;
	if (r->pmsnevfr)
		r->pmsfcr |= PMSFCR_FNE;
	if (r->pmslatfr)
		r->pmsfcr |= PMSFCR_FL;
	if (event->config4)
		r->pmsfcr |= PMSFCR_FDS;
	r->discard = attr->config & DISCARD;
	event->why = arm_spe_lacks(r);
	return event->why ? -EOPNOTSUPP : 0;
}

/* Why the CPU has no such interval; NULL: it has. */
static const char *arm_spe_no_interval(const struct perf_event_attr *attr)
{
	if (attr->flags & PERF_ATTR_FREQ) /* software does not see each sample */
		return "it has no frequency, but samples one operation in so many: -c PERIOD, or the "
		       "term period";
	if (attr->sample_period > UINT32_MAX)
		return "period too long: PMSIRR_EL1.INTERVAL ends at 4294967040 operations";
	return attr->sample_period < arm_spe_unit.min_interval
	           ? arm_spe_min_interval(arm_spe_unit.features)->too_short
	           : NULL;
}

/* PMSIRR_EL1.INTERVAL counts in units of 256 operations; attr is set to the rounded value. */
static int arm_spe_set_interval(struct arm_spe_registers *r, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (!attr->sample_period)
		attr->sample_period = arm_spe_unit.min_interval;
	event->why = arm_spe_no_interval(attr);
	if (event->why)
		return -EINVAL;
	attr->sample_period &= PMSIRR_INTERVAL;
	r->pmsirr = attr->sample_period | (attr->config & JITTER ? PMSIRR_RND : 0);
	return 0;
}

/* Select the levels and the contents of records. Timestamps and physical addresses need EL2's
 * permission, which bareperf gives if it runs there (D17.4, CollectTimeStamp(),
 * CollectPhysicalAddress()). */
static void arm_spe_set_control(struct arm_spe_registers *r, const struct perf_event_attr *attr)
{
	uint64_t any = attr->flags &
	               (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV);
	uint64_t what = (attr->config & ARM_SPE_TS_ENABLE ? PMSCR_TS : 0) |
	                (attr->config & PA_ENABLE ? PMSCR_PA : 0) |
	                (uint64_t)(attr->config & PCT_ENABLE ? PCT_PHYS : PCT_VIRT) << PMSCR_PCT;
	/* By default EL2 is sampled only if the traced code runs there, in firmware */
	bool el2 = !(any & PERF_ATTR_EXCLUDE_HV) && (any || !(arch_levels() & ARCH_LEVEL_KERNEL));

	r->pmscr_el1 = what | PMSCR_CX | (attr->flags & PERF_ATTR_EXCLUDE_USER ? 0 : PMSCR_E0SPE) |
	               (attr->flags & PERF_ATTR_EXCLUDE_KERNEL ? 0 : PMSCR_ExSPE);
	r->pmscr_el2 = what | (el2 ? PMSCR_ExSPE : 0);
}

int arm_spe_event_init(struct perf_event *event)
{
	struct arm_spe_registers *r = &arm_spe_of(event)->registers;
	const char *why;
	int code;

	if (event->attr.type != PERF_TYPE_ARM_SPE)
		return -ENOENT;
	code = arm_spe_probe(&why);
	if (code)
		return code;
	*arm_spe_of(event) = (struct hw_arm_spe){ 0 };
	code = arm_spe_set_filters(r, event);
	if (!code)
		code = arm_spe_set_interval(r, event);
	arm_spe_set_control(r, &event->attr);
	return code;
}

void arm_spe_write_filters(const struct arm_spe_registers *r)
{
	arch_reg_write(PMSFCR_EL1, r->pmsfcr);
	arch_reg_write(PMSEVFR_EL1, r->pmsevfr);
	if (arm_spe_unit.features & PMSIDR_FNE)
		arch_reg_write(PMSNEVFR_EL1, r->pmsnevfr);
	/* Only if it is asked for: EL3 may trap the register (MDCR_EL3.EnPMS3), and a hypervisor
	 * too (HDFGWTR2_EL2). */
	if (r->pmsfcr & PMSFCR_FDS)
		arch_reg_write(PMSDSFR_EL1, r->pmsdsfr);
	arch_reg_write(PMSLATFR_EL1, r->pmslatfr);
	arch_reg_write(PMSIRR_EL1, r->pmsirr);
	arch_reg_write(PMSICR_EL1, 0); /* hardware loads PMSIRR_EL1 */
	arch_reg_sync();
}
