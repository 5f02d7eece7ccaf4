/* SPDX-License-Identifier: MIT */
/* Switches to the faster rate that the URL requests: negotiates it, tries it, and gives it up if no
 * frame arrives at it; then the machine gives it up, too. */
#include "host-tools/region/serial/serial_cable.h"

#define BAUD_TRY_US (WIRE_BAUD_MS * 1000LL)

void serial_cable_slow(struct serial_cable *cable, int64_t now)
{
	if (cable->link.fd >= 0 && cable->host.baud != cable->link.baud)
		serial_link_set_baud(&cable->link, cable->link.baud);
	cable->host.baud = cable->link.baud;
	wire_host_begin(&cable->host, now);
}

/* Permanently, because the cause will not go away. */
static void stay_slow(struct serial_cable *cable, int64_t now)
{
	cable->fast = SERIAL_FAST_DONE;
	cable->link.fast = 0;
	serial_cable_slow(cable, now);
}

static void ask_faster(struct serial_cable *cable, int64_t now)
{
	struct wire_host *host = &cable->host;

	cable->fast = SERIAL_FAST_DONE;
	if (!cable->link.fast || cable->link.fast == cable->link.baud)
		return;
	if (host->welcome.baud_max < cable->link.fast) {
		say("%s: the machine's line does no more than %u bit/s", cable->name,
		    host->welcome.baud_max);
		return;
	}
	host->baud_wanted = cable->link.fast;
	host->has_baud_answer = false;
	host->baud_us = 0;
	cable->fast = SERIAL_FAST_ASKED;
	cable->fast_us = now;
}

static void take_faster(struct serial_cable *cable, int64_t now)
{
	struct wire_host *host = &cable->host;

	if (!host->baud_answer || serial_link_set_baud(&cable->link, host->baud_answer)) {
		say("%s: %u bit/s cannot be had, it stays at %u", cable->name, cable->link.fast,
		    cable->link.baud);
		stay_slow(cable, now);
		return;
	}
	host->baud = host->baud_answer;
	wire_host_begin(host, now);
	cable->fast = SERIAL_FAST_TRIED;
	cable->fast_us = now;
}

void serial_cable_negotiate(struct serial_cable *cable, int64_t now)
{
	struct wire_host *host = &cable->host;
	bool is_late = now - cable->fast_us > BAUD_TRY_US;

	if (cable->fast == SERIAL_FAST_TODO && host->state == WIRE_HOST_FRAMED) {
		ask_faster(cable, now);
	} else if (cable->fast == SERIAL_FAST_ASKED && (host->has_baud_answer || is_late)) {
		host->baud_answer = host->has_baud_answer ? host->baud_answer : 0;
		host->baud_wanted = 0;
		take_faster(cable, now);
	} else if (cable->fast == SERIAL_FAST_TRIED) {
		if (host->state == WIRE_HOST_FRAMED) {
			cable->fast = SERIAL_FAST_DONE;
		} else if (is_late) {
			say("%s: nothing comes through at %u bit/s, back to %u", cable->name,
			    host->baud, cable->link.baud);
			stay_slow(cable, now);
		}
	}
}
