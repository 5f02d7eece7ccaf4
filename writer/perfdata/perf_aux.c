/* SPDX-License-Identifier: MIT */
#include "writer/perfdata/perf_aux.h"

#include "abi/event_types.h"
#include "writer/perfdata/arm_spe_decode.h"
#include "writer/perfdata/perf_file.h"

static const struct perf_aux_format formats[] = {
	{ PERF_TYPE_INTEL_BTS, PERF_FILE_AUXTRACE_INTEL_BTS, 24, false, NULL },
	/* the same records as the hardware's, made by software */
	{ PERF_TYPE_BRANCH_STEP, PERF_FILE_AUXTRACE_INTEL_BTS, 24, false, NULL },
	{ PERF_TYPE_ARM_SPE, PERF_FILE_AUXTRACE_ARM_SPE, 0, true, spe_adapt },
};

const struct perf_aux_format *perf_aux_format(uint32_t type)
{
	for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
		if (type == formats[f].source)
			return &formats[f];
	}
	return NULL;
}
