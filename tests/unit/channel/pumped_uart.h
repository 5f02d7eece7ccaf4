/* SPDX-License-Identifier: MIT */
/* A line on which no byte ever moves, and a function that is called whenever it is pumped. */
#ifndef TESTS_UNIT_CHANNEL_PUMPED_UART_H
#define TESTS_UNIT_CHANNEL_PUMPED_UART_H

#include "channel/lines.h"

static void (*pumped)(void);
static struct lines pumped_lines;

static int pumped_get(struct uart *uart)
{
	(void)uart;
	pumped();
	return -1;
}

static unsigned pumped_room(const struct uart *uart)
{
	(void)uart;
	return 0;
}

static uint64_t pumped_now(void)
{
	return 0;
}

static unsigned pumped_text(uint64_t *at, char *to, unsigned size)
{
	(void)at;
	(void)to;
	(void)size;
	return 0;
}

static struct lines *pumped_start(void (*function)(void))
{
	static const struct uart_ops ops = { .get = pumped_get, .room = pumped_room };
	static const struct uart uart = { .ops = &ops, .fifo = 1 };

	pumped = function;
	pumped_lines = (struct lines){ 0 };
	lines_start(&pumped_lines, &uart, pumped_now, pumped_text, 0);
	return &pumped_lines;
}

#endif
