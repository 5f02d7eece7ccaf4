/* SPDX-License-Identifier: MIT */
#include "host-tools/events/event_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/machine.h"
#include "host-tools/events/pfm.h"
#include "pmu/parse/events.h"
#include "pmu/parse/suggest.h"

#define NAME_MAX_LENGTH 63 /* of tr_event.name */

/* Length of the event at text: up to a comma or brace that is not between slashes. */
static size_t event_length(const char *text)
{
	bool inside = false;
	size_t i = 0;

	for (; text[i] && (inside || !strchr(",{}", text[i])); i++)
		inside ^= text[i] == '/';
	return i;
}

/* Whether the text is a name from the CPU's manual; the text after a group's brace is not. */
static bool is_own_name(const char *text, size_t length, const struct pmu_source *const *sources)
{
	return length && *text != ':' && !memchr(text, '/', length) &&
	       !parse_events_knows(text, sources);
}

bool event_names_any(const char *list, const struct pmu_source *const *sources)
{
	while (*list) {
		size_t length = event_length(list);

		if (is_own_name(list, length, sources))
			return true;
		list += length + (list[length] != 0);
	}
	return false;
}

/* perf's modifiers after the last colon; an empty string if there are none. Unit masks are longer
 * or have other letters. */
static const char *modifiers(const char *name)
{
	const char *last = strrchr(name, ':');

	if (last && last > name && last[-1] != ':' && last[1] &&
	    !last[1 + strspn(last + 1, "ukhS")])
		return last + 1;
	return "";
}

/* Encode a name without a PMU by the CPU's PMU. */
static int encode_for(const char *name, const struct event_cpu *cpu, struct pfm_encoding *encoding,
                      struct error *error)
{
	const char *pmu = event_pmu_of(cpu), *common = event_pmu_common(cpu->machine);
	struct error reason = { "" };
	char full[256];
	int code = -ENOENT;

	snprintf(full, sizeof(full), "%s::%s", pmu ? pmu : common, name);
	if (pmu || common)
		code = pfm_encode(full, encoding, &reason);
	if (pmu && code)
		return error_set(error, code, "%s; `bareperf list --pmu %s' shows what there is",
		                 reason.text, pmu);
	if (!pmu && (code || !event_is_common(cpu->machine, encoding->config)))
		return error_set(error, -ENOENT,
		                 "event %s: bareperf has no list of this CPU's own events (%s, "
		                 "signature 0x%" PRIx64
		                 "). Say whose is meant, as in skl::%s "
		                 "(`bareperf list' shows them), or write it raw",
		                 name, cpu->vendor, cpu->signature, name);
	return 0;
}

/* The modifiers for the selected levels, if not all are selected: libpfm4's :u, :k=0 and so on. */
static const char *levels(const struct pfm_encoding *encoding, uint16_t machine, char text[4])
{
	bool hv = encoding->hv && machine == EM_AARCH64;
	char *at = text;

	if (encoding->user)
		*at++ = 'u';
	if (encoding->kernel)
		*at++ = 'k';
	if (hv)
		*at++ = 'h';
	*at = 0;
	return encoding->user && encoding->kernel && !hv ? "" : text;
}

/* only: the CPUs whose signature begins like this; NULL: all. */
static void write_event(struct blob *text, const char *written, const char *modified,
                        const struct pfm_encoding *encoding, uint16_t machine,
                        const struct event_cpu *only)
{
	char ring[4];

	blob_printf(text, "%s/config=0x%" PRIx64, machine == EM_AARCH64 ? "armv8_pmuv3" : "cpu",
	            encoding->config);
	if (only)
		blob_printf(text, ",midr=0x%" PRIx64, only->signature & UINT32_MAX);
	if (encoding->period)
		blob_printf(text, ",period=%" PRIu64, encoding->period);
	if (encoding->freq)
		blob_printf(text, ",freq=%" PRIu64, encoding->freq);
	blob_printf(text, ",name=%s/%s", written,
	            *modified ? modified : levels(encoding, machine, ring));
}

/* An Arm machine may have several kinds of CPUs, and the same number may mean another event on
 * another maker's CPU. With a named PMU the event is counted only on CPUs of that kind. */
static bool is_of_one_kind(const char *name, const struct event_cpu *cpu,
                           const struct pfm_encoding *encoding)
{
	return cpu->machine == EM_AARCH64 && cpu->signature && !strstr(name, "::") &&
	       !event_is_common(cpu->machine, encoding->config);
}

static int resolve_one(struct blob *text, const char *written, const struct event_cpu *cpu,
                       struct error *error)
{
	const char *modified = modifiers(written);
	struct pfm_encoding encoding = { 0 };
	char name[NAME_MAX_LENGTH + 1];
	int code;

	snprintf(name, sizeof(name), "%s", written);
	if (*modified)
		name[modified - written - 1] = 0;
	if (strstr(name, "::"))
		code = pfm_encode(name, &encoding, error);
	else
		code = encode_for(name, cpu, &encoding, error);
	if (!code)
		write_event(text, written, modified, &encoding, cpu->machine,
		            is_of_one_kind(name, cpu, &encoding) ? cpu : NULL);
	return code;
}

/* ---- Before there is a machine ---- */

/* Whether a table is for CPUs of this machine type. */
static bool is_for(const struct pfm_table *table, uint16_t machine)
{
	return !strncmp(table->pmu, "arm_", 4) == (machine == EM_AARCH64);
}

/* Whether some CPU has an event of this name. */
static bool is_somewhere(const char *name, uint16_t machine)
{
	struct pfm_encoding encoding;
	struct pfm_table table;
	struct error ignored = { "" };
	char full[256];

	if (strstr(name, "::"))
		return !pfm_encode(name, &encoding, &ignored);
	for (unsigned i = 0; pfm_table(i, &table); i++) {
		snprintf(full, sizeof(full), "%s::%s", table.pmu, name);
		if (is_for(&table, machine) && !pfm_encode(full, &encoding, &ignored))
			return true;
	}
	return false;
}

/* An event without its modifiers; returns name. */
static const char *without_modifiers(char name[NAME_MAX_LENGTH + 1], const char *text,
                                     size_t length)
{
	const char *modified;

	snprintf(name, NAME_MAX_LENGTH + 1, "%.*s", (int)length, text);
	modified = modifiers(name);
	if (*modified)
		name[modified - name - 1] = 0;
	return name;
}

void event_names_mask(struct blob *text, const char *list, const struct pmu_source *const *sources,
                      uint16_t machine)
{
	while (*list) {
		size_t length = event_length(list), masked = 0;
		char name[NAME_MAX_LENGTH + 1];

		if (length <= NAME_MAX_LENGTH && is_own_name(list, length, sources) &&
		    is_somewhere(without_modifiers(name, list, length), machine))
			masked = strlen(name);
		for (size_t i = 0; i < masked; i++)
			blob_add(text, i ? "0" : "r", 1);
		blob_add(text, list + masked, length - masked);
		list += length;
		if (*list)
			blob_add(text, list++, 1);
	}
}

struct search {
	struct suggestion near;
	char best[NAME_MAX_LENGTH + 1];
};

static void offer(void *context, const char *name, const char *description)
{
	struct search *search = context;
	const char *before = search->near.meant;

	(void)description;
	suggestion_offer(&search->near, name);
	if (search->near.meant == before)
		return;
	snprintf(search->best, sizeof(search->best), "%s", name);
	search->near.meant = search->best;
}

void event_names_suggest(struct blob *text, const char *list, uint16_t machine)
{
	char written[NAME_MAX_LENGTH + 1];
	const char *name = without_modifiers(written, list, event_length(list));
	const char *colons = strstr(name, "::"), *event = colons ? colons + 2 : name;
	struct search search = { .near = suggestion_for(event, strlen(event)) };
	struct pfm_table table;
	struct error ignored = { "" };

	for (unsigned i = 0; pfm_table(i, &table); i++) {
		bool named = colons && strlen(table.pmu) == (size_t)(colons - name) &&
		             !strncmp(table.pmu, name, (size_t)(colons - name));

		if (is_for(&table, machine) && (named || !colons))
			pfm_list(table.pmu, offer, &search, &ignored);
	}
	if (search.near.meant)
		blob_printf(text, "%.*s%s", (int)(event - name), name, search.near.meant);
}

int event_names_resolve(struct blob *text, const char *list,
                        const struct pmu_source *const *sources, const struct event_cpu *cpu,
                        struct error *error)
{
	while (*list) {
		size_t length = event_length(list);
		char written[NAME_MAX_LENGTH + 1];
		int code;

		if (!is_own_name(list, length, sources)) {
			blob_add(text, list, length);
		} else if (length > NAME_MAX_LENGTH) {
			return error_set(error, -EINVAL, "event %.*s: longer than %d characters",
			                 (int)length, list, NAME_MAX_LENGTH);
		} else {
			snprintf(written, sizeof(written), "%.*s", (int)length, list);
			code = resolve_one(text, written, cpu, error);
			if (code)
				return code;
		}
		list += length;
		if (*list)
			blob_add(text, list++, 1);
	}
	return 0;
}
