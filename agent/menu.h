/* SPDX-License-Identifier: MIT */
/*
 * The menu of a boot stick that has no command for the machine, or if the user holds a key down
 * while the machine starts. The same image is started again with the chosen command, and gives the
 * machine back; then the menu is shown again. Boot services only. Thread.
 */
#ifndef AGENT_MENU_H
#define AGENT_MENU_H

#include "ringbuf/region_writer.h"

enum menu_end {
	MENU_SERVE, /* leave the firmware, and wait for commands */
	MENU_RUN,   /* carry out the command that there is */
	MENU_BACK,  /* to the firmware */
};

/* command: the command of \bareperf.cfg, or "". region: the menu ends if a host posts a command
 * there or announces itself as a reader, and also after some time without a key. There is no menu
 * if the image comes from no writable volume (network, -kernel), or if there is a command and no
 * key is pressed; then the function returns its default at once. */
enum menu_end menu_run(const char *command, const struct trace_region *region);

/* If there is a screen, leave the result on it until a key is pressed, at most a minute: the next
 * program clears it. */
void menu_linger(void);

#endif
