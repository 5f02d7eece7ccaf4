/* SPDX-License-Identifier: MIT */
#include "agent/uefi/boot_check.h"

#include <string.h>

#include "agent/record/record.h"
#include "lib/console/console.h"
#include "lib/hosted.h"
#include "lib/platform.h"
#include "lib/print.h"
#include "pmu/clock/clock.h"

static int boot_check_refuse(struct trace_region *region, const char *what, const char *why,
                             int code)
{
	char message[192];

	print_text(message, sizeof(message), "%s: %s (%d)", what, why ? why : strerror(-code),
	           code);
	console_printf("register: %s\n", message);
	trace_region_set_message(region, code, message);
	trace_region_set_state(region, TR_FAILED);
	return code;
}

static uint64_t seconds; /* for how long the region has room; 0: unknown */

/* Check the events with the hardware that is free beside the firmware. */
static int boot_check_hosted(const struct command *command, struct trace_region *region,
                             struct channel *channel)
{
	struct arch_clock clock;
	int code = arch_clock_init(&clock);

	if (code != 0)
		return boot_check_refuse(region, "the clock does not work", NULL, code);
	clock_set(&machine_clock, clock.frequency, boot_entry()->cycles);
	return record_check(command, region, channel, &seconds);
}

int boot_check(const struct command *command, struct trace_region *region, struct channel *channel,
               const struct arch_platform *platform)
{
	const char *why;
	int code = hosted_begin(platform, &why);

	if (code != 0) {
		boot_check_refuse(region, "the firmware cannot be recorded", why, code);
	} else {
		code = boot_check_hosted(command, region, channel);
		hosted_end();
	}
	if (code != 0)
		console_printf("nothing is registered\n");
	if (!channel->ops->in_ram)
		seconds = 0; /* its reader makes room */
	return code;
}

void boot_check_report_room(void)
{
	if (seconds >= 120)
		console_printf("its region has room for some %lu minutes\n", (seconds + 30) / 60);
	else if (seconds != 0)
		console_printf("its region has room for some %lu seconds\n", seconds);
}
