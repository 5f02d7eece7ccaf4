/* SPDX-License-Identifier: MIT */
/*
 * Writers that nest three deep: a thread, an IRQ and an NMI, whose handlers may come anywhere,
 * several times. Nobody reads; one CPU sees its own memory in order. MUTANT has one thing wrong.
 */
#define LEVELS	3
#define INNERMOST 2
#define MAY_WRAP true
#define RECORDS 2 /* the thread's, and the IRQ's */
#define NMIS	1
#define SLOTS	(2 * RECORDS + NMIS)

#define NONE		0
#define TORN_RESERVE	1 /* a claim holds although a handler has published meanwhile */
#define NO_REPUBLISH	2 /* a handler's records, written while head was published, stay unseen */
#define PUBLISH_EARLY	3 /* head before the record */
#define PUBLISHED_FIRST 4 /* a handler's claim of the position before is taken for an outer one's */
#define NO_HEAD		5 /* records that were nested and not yet published are not looked at */
#define SHOW_LAST	6 /* published before data_head, so that a handler's head is taken back */
#define NOT_ALONE	7 /* a CPU that has interrupted a writer believes that it is alone */

byte mutant = 77; /* chosen by tests/model/check */
#define MUTANT mutant

#define FORGET_LOST NOBODY /* there is room for all */
#define LOST	    NOBODY

byte level; /* the running level */
byte shown; /* data_head */
bool there[SLOTS];

#include "write.pml"

inline look_tail() { skip }
inline wake(who) { skip }
inline begin(value) { skip }

inline build(place, value)
{
	d_step { assert(place < SLOTS && !there[place]); there[place] = true }
}

/* Heads go forward, and all before them is there. */
inline show_head(to)
{
	d_step {
		assert(to >= shown);
		shown = to;
		assert(to < 1 || there[to - 1]);
		assert(to < 2 || there[to - 2]);
		assert(to < 3 || there[to - 3])
	}
}

active proctype Thread() provided (level == 0)
{
	byte at, end, due, was, number;
	bool nested;

	do
	:: number < RECORDS -> number++; write(0, 1, number % 2)
	:: else -> break
	od
}

active proctype Irq() provided (level <= 1)
{
	byte at, end, due, was, number;
	bool nested;

	do
	:: number < RECORDS ->
		atomic { level == 0 -> level = 1 };
		number++;
		write(1, 1, number % 2);
		level = 0
	:: else -> break
	od
}

active proctype Nmi()
{
	byte at, end, due, was, number, interrupted;
	bool nested, wants;

	do
	:: number < NMIS ->
		atomic { level < 2 -> interrupted = level; level = 2 };
		number++;
		if
		:: wants = true
		:: wants = false
		fi;
		write(2, 1, wants);
		wants = false;
		level = interrupted
	:: else -> break
	od
}

active proctype Judge()
{
	timeout;
	assert(level == 0 && lost == 0);
	assert(written[0] + written[1] + written[2] == SLOTS);
	assert(shown == SLOTS && published == SLOTS)
}
