/* SPDX-License-Identifier: MIT */
#include "host-tools/pe/alias.h"

#include <elf.h>
#include <string.h>

uint64_t alias_rank(bool has_size, unsigned binding, const char *name)
{
	uint64_t underscores = strspn(name, "_"), length = strlen(name);

	underscores = underscores < UINT16_MAX ? underscores : UINT16_MAX;
	length = length < UINT32_MAX ? length : UINT32_MAX;
	return (uint64_t)has_size << 50 | (uint64_t)(binding != STB_WEAK) << 49 |
	       (uint64_t)(binding == STB_GLOBAL) << 48 | (UINT16_MAX - underscores) << 32 | length;
}

bool alias_is_mapping(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}
