/* SPDX-License-Identifier: MIT */
#include "host-tools/events/pfm.h"

#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libpfm4 takes the events of the host's CPU, unless another CPU is forced before it starts. */
static bool start(void)
{
	static bool started, works;

	if (started)
		return works;
	started = true;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	works = pfm_initialize() == PFM_SUCCESS;
	return works;
}

static int not_started(struct error *error)
{
	return error_set(error, -ENODEV, "libpfm4 does not start");
}

/* The part of attr that a counter alone cannot provide. */
static const char *excess(const struct perf_event_attr *attr, int cpu)
{
	if (cpu != -1)
		return "names a CPU; say -C";
	if (attr->type != PERF_TYPE_RAW)
		return "is no event of a CPU's core";
	if (attr->config1 || attr->config2)
		return "needs a second register (offcore response), which bareperf does not "
		       "program; load latency is cpu/mem-loads,ldlat=N/";
	if (attr->precise_ip)
		return "asks for precise samples: add :p to the event's name instead";
	if (attr->pinned || attr->exclusive)
		return "asks for pinned or exclusive counting, which bareperf does not have";
	return NULL;
}

static void take(struct pfm_encoding *encoding, const struct perf_event_attr *attr)
{
	*encoding = (struct pfm_encoding){
		.config = attr->config,
		.period = attr->freq ? 0 : attr->sample_period,
		.freq = attr->freq ? attr->sample_freq : 0,
		.user = !attr->exclude_user,
		.kernel = !attr->exclude_kernel,
		.hv = !attr->exclude_hv,
	};
}

int pfm_encode(const char *name, struct pfm_encoding *encoding, struct error *error)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t argument = { .attr = &attr, .size = sizeof(argument), .cpu = -1 };
	int result;

	if (!start())
		return not_started(error);
	result =
	    pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument);
	if (result == PFM_SUCCESS && excess(&attr, argument.cpu))
		return error_set(error, -EINVAL, "event %s %s", name, excess(&attr, argument.cpu));
	if (result != PFM_SUCCESS)
		return error_set(error, result == PFM_ERR_NOTFOUND ? -ENOENT : -EINVAL,
		                 "event %s: libpfm4 says: %s", name, pfm_strerror(result));
	take(encoding, &attr);
	return 0;
}

/* Whether it is a core's PMU, not one of libpfm4's for software events. */
static bool core_pmu(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	*info = (pfm_pmu_info_t){ .size = sizeof(*info) };
	return pfm_get_pmu_info(pmu, info) == PFM_SUCCESS && info->type == PFM_PMU_TYPE_CORE &&
	       info->nevents;
}

bool pfm_table(unsigned i, struct pfm_table *table)
{
	pfm_pmu_info_t info;

	for (int pmu = PFM_PMU_NONE; start() && pmu < PFM_PMU_MAX; pmu++) {
		if (!core_pmu((pfm_pmu_t)pmu, &info) || i--)
			continue;
		*table = (struct pfm_table){ info.name, info.desc, (unsigned)info.nevents };
		return true;
	}
	return false;
}

/* An event with its unit masks, if it has any. */
static void list_event(int event, pfm_print_fn print, void *context)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	pfm_event_attr_info_t attr;
	bool masks = false;
	char name[256];
	int i;

	if (pfm_get_event_info(event, PFM_OS_NONE, &info) != PFM_SUCCESS)
		return;
	pfm_for_each_event_attr(i, &info)
	{
		attr = (pfm_event_attr_info_t){ .size = sizeof(attr) };
		if (pfm_get_event_attr_info(event, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		masks = true;
		snprintf(name, sizeof(name), "%s:%s", info.name, attr.name);
		print(context, name, attr.desc);
	}
	if (!masks)
		print(context, info.name, info.desc);
}

int pfm_list(const char *pmu, pfm_print_fn print, void *context, struct error *error)
{
	pfm_pmu_info_t info;

	if (!start())
		return not_started(error);
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		if (!core_pmu((pfm_pmu_t)i, &info) || strcmp(info.name, pmu) != 0)
			continue;
		for (int e = info.first_event; e != -1; e = pfm_get_event_next(e))
			list_event(e, print, context);
		return 0;
	}
	return error_set(error, -ENOENT,
	                 "libpfm4 has no table %s of a CPU's events; `bareperf list' shows them",
	                 pmu);
}
