/* SPDX-License-Identifier: MIT */
#include "host-tools/report/html/html_code.h"

#include <errno.h>
#include <stdlib.h>

#include "host-tools/report/html/html_json.h"
#include "host-tools/report/symbols/disassembly.h"

#define MOST_INSTRUCTIONS 200000U /* most instructions of all functions; about 1 MB */

struct listing {
	json_t *code;
	uint32_t left;
};

static int add_instruction(void *context, uint64_t address, uint16_t size, const char *text)
{
	struct listing *listing = context;

	(void)address;
	if (!listing->left)
		return -ENOSPC;
	listing->left--;
	json_array_append_new(listing->code, json_pack("[oo]", html_number(size), html_text(text)));
	return 0;
}

static void add_function(json_t *all, uint32_t number, const struct symbol_code *code,
                         struct listing *listing)
{
	char key[16];

	listing->code = json_array();
	snprintf(key, sizeof(key), "%u", number);
	if (disassemble(code, add_instruction, listing) == -ENOEXEC)
		json_decref(listing->code);
	else
		json_object_set_new(
		    all, key,
		    json_pack("{soso}", "start", html_exact(code->address), "code", listing->code));
}

/* Get the function that has the code at an address. The place's own function may be inlined into
 * it. */
static uint32_t outer_of(struct places *places, uint64_t address)
{
	struct symbol symbol = symbols_find(places->symbols, address);

	return intern(&places->functions, (uintptr_t)symbol.file, (uintptr_t)symbol.name);
}

json_t *html_code(struct places *places)
{
	uint32_t known = places->functions.count;
	uint8_t *seen = calloc(known + 1UL, 1);
	struct listing listing = { .left = MOST_INSTRUCTIONS };
	json_t *all = json_object();
	struct symbol_code code;

	for (uint32_t i = 0; seen && i < places->places.count && listing.left; i++) {
		const struct intern_key *place = &places->places.keys[i];
		uint32_t function = outer_of(places, place->b);

		if (function >= known)
			continue; /* memory ran out */
		if (!seen[function] && symbols_code(places->symbols, place->b, &code))
			add_function(all, function, &code, &listing);
		seen[function] = 1;
	}
	free(seen);
	return all;
}
