/* SPDX-License-Identifier: MIT */
#include "writer/perfdata/perf_footer.h"

#include "writer/util/crc32.h"

uint32_t perf_footer_crc(const struct perf_footer *footer, const void *ledger)
{
	struct perf_footer blank = *footer;

	blank.crc = 0;
	return crc32_add(crc32_add(0, ledger, footer->size), &blank, sizeof(blank));
}
