/* SPDX-License-Identifier: MIT */
/*
 * The menu of a stick that boots without a command, or with a key pressed during the start. The
 * same image carries out the choice, started again with that command, and returns the machine; then
 * the menu appears again. Boot services only. Thread.
 */
#ifndef AGENT_MENU_H
#define AGENT_MENU_H

#include "ringbuf/region_writer.h"

enum menu_end {
	MENU_SERVE, /* leave the firmware, and wait for commands */
	MENU_RUN,   /* carry out the command that there is */
	MENU_BACK,  /* to the firmware */
};

/* command: what \bareperf.cfg says; "" if nothing. region: whoever asks there for a command, or is
 * announced as a reader, ends the menu, as does a time in which no key was pressed. Where we come
 * from no volume that can be written (network, -kernel), or there is a command and no key, the
 * answer is at once what it would be without a menu. */
enum menu_end menu_run(const char *command, const struct trace_region *region);

/* Where there is a screen, leave what stands on it until a key is pressed, or for a minute: whoever
 * goes on clears it. */
void menu_linger(void);

#endif
