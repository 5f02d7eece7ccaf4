/* SPDX-License-Identifier: MIT */
#include "agent/record/recording.h"

#include "lib/console/console.h"
#include "lib/print.h"

static struct recording *current; /* the recording whose rings are live, or NULL */

struct recording *recording_now(void)
{
	return __atomic_load_n(&current, __ATOMIC_RELAXED);
}

void recording_set_now(struct recording *r)
{
	__atomic_store_n(&current, r, __ATOMIC_RELAXED);
}

struct traced_cpu *recording_here(void)
{
	struct recording *r = recording_now();

	for (unsigned i = 0; r && i < r->nr_cpus; i++) {
		if (r->cpus[i].cpu == arch_cpu())
			return &r->cpus[i];
	}
	return NULL;
}

int recording_fail(struct recording *r, int code, const char *format, ...)
{
	char message[256];
	va_list arguments;

	va_start(arguments, format);
	print_text_v(message, sizeof(message), format, arguments);
	va_end(arguments);
	console_printf("%s: %s\n", r->command->verb == COMMAND_STAT ? "stat" : "record", message);
	trace_region_set_message(r->region, code, message);
	trace_region_set_state(r->region, TR_FAILED);
	return code;
}
