/* SPDX-License-Identifier: MIT */
/*
 * The forward ring: ringbuf/ring.c with a handler that may interrupt the writer anywhere,
 * ringbuf/owner.c, and host-tools/ring_reader.c sleeping on the owner's bell alone. A record is
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
#define NO_REPUBLISH	11 /* what a handler wrote while head was published stays unseen */

byte mutant = 77; /* chosen by tests/model/check */
#define MUTANT mutant

#define LOST	 64 /* a LOST record's value: this plus the number */
#define HANDLERS 32 /* the handler's records: this plus its running number */

/* private to the firmware's CPU */
byte head, nest, lost, reported, good_tail;
byte written[2]; /* by the thread and by the handler */
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

/* Look for space: at, due and end; B. */
inline look()
{
	d_step {
		at = head;
		due = (MUTANT == FORGET_LOST -> 0 : lost - reported);
		end = at + 1 + (due > 0 -> 1 : 0);
		good_tail = (end - good_tail > SLOTS -> mem[TAIL] : good_tail)
	}
}

/* Write one record. who: 0 the thread, 1 the handler. Each step is one that a handler may come
 * before, and that makes a difference to it or to the reader. */
inline write(who, value)
{
	d_step { nest++ }
	if
	:: MUTANT == NO_B -> store(W, DATA + head % SLOTS, value, 0)
	:: else
	fi;
again:
	look();
	if
	:: d_step { end - good_tail > SLOTS -> lost++; due = 0; end = 0 }
		goto out
	:: d_step { end - good_tail <= SLOTS && (head == at || MUTANT == TORN_RESERVE) ->
			/* In truth two steps, the second of which may take back the first; what
			 * a handler in between sees is what it sees before or after both. */
			head = end;
			reported = reported + due;
			end = 0
		}
	:: else -> goto again
	fi;
	if
	:: MUTANT == PUBLISH_EARLY -> store(W, HEAD, head, 1)
	:: else
	fi;
	if
	:: due > 0 -> store(W, DATA + at % SLOTS, LOST + due, 0); d_step { at++; due = 0 }
	:: else
	fi;
	store(W, DATA + at % SLOTS, value, 0);
	written[who]++;
out:
	if
	:: d_step { nest > 1 -> nest--; at = 0 }
	:: else ->
publish:
		at = head;
		store(W, HEAD, at, MUTANT != NO_A); /* A */
		wake(who);
		nest = 0;
		if
		:: d_step { head != at && MUTANT != NO_REPUBLISH -> nest = 1 } goto publish
		:: else -> at = 0
		fi
	fi
}

active proctype Thread() GOES_ON
{
	byte at, end, due, was, number, lost_before;

	do
	:: number < RECORDS ->
		number++;
		if
		:: number == RECORDS -> atomic {
				mem[TAIL] == head && mem[HEAD] == head;
				lost_before = lost
			}
		:: else
		fi;
		write(0, number)
	:: else -> break
	od;
	assert(reported >= lost_before); /* told as soon as there was room */
	thread_over = true
}

active proctype Handler()
{
	byte at, end, due, was, number;

	do
	:: number < HANDLED ->
		if
		:: atomic { !interrupted -> interrupted = true }
		:: thread_over -> break
		fi;
		number++;
		write(1, HANDLERS + number);
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
	assert(position == head);
	assert(delivered[0] == written[0] && delivered[1] == written[1]);
	assert(told == reported)
}
