/* SPDX-License-Identifier: MIT */
/*
 * The forward ring: write.pml with a handler that may interrupt the writer anywhere,
 * ringbuf/owner.c, and ringbuf/reader/ring_reader.c sleeping on the owner's bell alone. A record is
 * one slot. The letters are those of docs/trace-region.md. A MUTANT has one thing wrong.
 */
#define SLOTS	2
#define HANDLED 1 /* the handler's */
#define RECORDS 3 /* the thread's; the last one waits until the reader has everything */

#define HEAD	0
#define TAIL	1
#define PENDING 2
#define DATA	3
#define PLACES	(3 + SLOTS)

#include "memory.pml"

/* Mutants, and where they are wrong. */
#define NONE		0
#define PUBLISH_EARLY	1 /* head before the record */
#define NOTIFY_FIRING	2 /* the handler's event is not the owner */
#define NO_A		3 /* head without release */
#define NO_B		4 /* the record is written before tail was looked at */
#define NO_C		5 /* tail may be seen before the reader has read */
#define NO_D		6 /* head without acquire */
#define NO_E		7 /* pending by a load and a store, without a fence */
#define NO_F		8 /* the reader goes to sleep without a fence */
#define FORGET_LOST	9 /* no LOST record is written */
#define TORN_RESERVE	10 /* space is taken although a handler has just taken it */
#define NO_REPUBLISH	11 /* a handler's records, written while head was published, stay unseen */

byte mutant = 77; /* chosen by tests/model/check */
#define MUTANT mutant

#define LOST	 64 /* a LOST record's value: this plus the number */
#define HANDLERS 32 /* the handler's records: this plus its running number */

#define LEVELS		2
#define INNERMOST	NOBODY /* each record wakes, and so none takes that way */
#define MAY_WRAP	false /* that is nest.pml's, too */
#define PUBLISHED_FIRST NOBODY /* these are nest.pml's */
#define NO_HEAD		NOBODY
#define SHOW_LAST	NOBODY
#define NOT_ALONE	NOBODY

#include "write.pml"

bool interrupted;
bool bell;
bool thread_over, handler_over;

/* the reader's */
byte position, told;
byte delivered[2], last[2];

#define GOES_ON provided (!interrupted)

inline wake(who)
{
	if
	:: MUTANT == NO_E ->
		was = mem[PENDING];
		store(W, PENDING, 1, 0)
	:: else -> atomic { /* E, and the exchange */
			fence(W);
			was = mem[PENDING];
			mem[PENDING] = 1
		}
	fi;
	d_step {
		bell = bell || was == 0 && !(MUTANT == NOTIFY_FIRING && who == 1);
		was = 0
	}
}

inline begin(value)
{
	if
	:: MUTANT == NO_B -> store(W, DATA + head % SLOTS, value, 0)
	:: else
	fi
}

/* B. A tail beyond published is not to be judged yet, and can be no more than all that there is. */
inline look_tail()
{
	d_step {
		was_tail = mem[TAIL];
		assert(was_tail <= END);
		if
		:: end - good_tail > SLOTS && was_tail <= published -> good_tail = was_tail
		:: else
		fi;
		was_tail = 0
	}
}

inline build(place, value)
{
	store(W, DATA + (place) % SLOTS, value, 0)
}

inline show_head(to)
{
	store(W, HEAD, to, MUTANT != NO_A) /* A */
}

active proctype Thread() GOES_ON
{
	byte at, end, due, was, number, lost_before, was_tail;
	bool nested;

	do
	:: number < RECORDS ->
		number++;
		if
		:: number == RECORDS -> atomic {
				mem[TAIL] == published && mem[HEAD] == published;
				lost_before = lost
			}
		:: else
		fi;
		write(0, number, number > 1)
	:: else -> break
	od;
	assert(reported >= lost_before); /* told as soon as there was room */
	thread_over = true
}

active proctype Handler()
{
	byte at, end, due, was, number, was_tail;
	bool nested;

	do
	:: number < HANDLED ->
		if
		:: atomic { !interrupted -> interrupted = true }
		:: thread_over -> break
		fi;
		number++;
		write(1, HANDLERS + number, true);
		interrupted = false
	:: break
	od;
	handler_over = true
}

/* Whole, in order: a value's number is above its writer's last one. */
inline check(value)
{
	d_step {
		if
		:: value >= LOST -> told = told + value - LOST; assert(value > LOST)
		:: value < LOST ->
			assert(value != 0);
			assert(value % HANDLERS > last[value / HANDLERS]);
			last[value / HANDLERS] = value % HANDLERS;
			delivered[value / HANDLERS]++
		fi;
		position++;
		value = 0
	}
}

active proctype Reader()
{
	byte to, value;

	do
	:: true ->
		if
		:: MUTANT == NO_D -> load(HEAD, to)
		:: else -> load_acquire(HEAD, to) /* D */
		fi;
		if
		:: position != to && MUTANT == NO_C ->
			store(R, TAIL, position + 1, 0);
			load(DATA + position % SLOTS, value);
			check(value);
		:: position != to && MUTANT != NO_C ->
			load(DATA + position % SLOTS, value);
			check(value);
			store(R, TAIL, position, 1) /* C */
		:: position == to ->
			store(R, PENDING, 0, 0);
			if
			:: MUTANT == NO_F
			:: else -> atomic { fence(R); fence_loads() } /* F */
			fi;
			load(HEAD, to);
			if
			:: position == to -> atomic { bell -> bell = false }
			:: else
			fi
		fi;
		to = 0
	od
}

/* When nothing can move any more, everything has arrived or is counted. */
active proctype Judge()
{
	timeout;
	assert(thread_over && handler_over);
	assert(position == published);
	assert(delivered[0] == written[0] && delivered[1] == written[1]);
	assert(told == reported)
}
