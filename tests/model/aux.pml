/* SPDX-License-Identifier: MIT */
/*
 * The AUX area: ringbuf/aux.c with the hardware that fills it, and two kinds of readers. Ours takes
 * the pieces that AUX records tell of (writer/session/aux_drain.c); one of Linux's mmap ABI may look at
 * aux_head alone. A byte of the area is one slot, and holds its position + 1. The data ring, which
 * forward.pml is about, has room for every record here. The letters are those of forward.pml, of
 * aux_head and aux_tail here.
 */
#define SLOTS	  2
#define PIECES	  3
#define NEED	  2 /* slots that must be free before hardware may continue; it fills one or both */
#define WATERMARK 2

#define HEAD	0 /* aux_head */
#define TAIL	1 /* aux_tail */
#define RECORDS 2 /* data_head */
#define PENDING 3
#define AREA	4
#define TOLD	(AREA + SLOTS) /* AUX records: where the piece ends */
#define PLACES	(TOLD + PIECES)

#include "memory.pml"

#define NONE	  0
#define NO_A	  1 /* aux_head without release */
#define NO_B	  2 /* hardware writes before aux_tail was looked at */
#define NO_C	  3 /* aux_tail may be seen before the reader has copied */
#define NO_D	  4 /* aux_head without acquire */
#define NO_E	  5 /* pending by a load and a store, without a fence */
#define NO_F	  6 /* the reader goes to sleep without a fence */
#define HEAD_LATE 7 /* a record reports bytes that aux_head has not reached */
#define NO_STALL  8 /* there is no room, and nobody is informed */

byte mutant = 77; /* chosen by tests/model/check */
#define MUTANT mutant

bool bell, writer_over;
byte head, position;

inline wake()
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
		bell = bell || was == 0;
		was = 0
	}
}

inline fill()
{
	store(W, AREA + head % SLOTS, head + 1, 0);
	head++
}

/* ring_aux_begin(), and once more at each tick until there is room. */
inline begin()
{
	good_tail = mem[TAIL]; /* B */
	if
	:: head + NEED - good_tail > SLOTS && MUTANT != NO_STALL -> wake()
	:: else
	fi;
	do
	:: head + NEED - good_tail > SLOTS -> atomic {
			mem[TAIL] != good_tail;
			good_tail = mem[TAIL]
		}
	:: else -> break
	od
}

/* ring_aux_end() */
inline end_piece()
{
	if
	:: MUTANT == HEAD_LATE
	:: else -> store(W, HEAD, head, MUTANT != NO_A) /* A */
	fi;
	store(W, TOLD + number, head, 0);
	number++;
	store(W, RECORDS, number, 1);
	if
	:: MUTANT == HEAD_LATE -> store(W, HEAD, head, 1)
	:: else
	fi;
	if
	:: head - wakeup >= WATERMARK ->
		wakeup = head - head % WATERMARK;
		wake()
	:: else
	fi
}

active proctype Writer()
{
	byte good_tail, wakeup, number, was;

	do
	:: number < PIECES ->
		if
		:: MUTANT == NO_B -> store(W, AREA + head % SLOTS, head + 1, 0)
		:: else
		fi;
		begin();
		fill();
		if
		:: fill()
		:: true
		fi;
		end_piece()
	:: else -> break
	od;
	wake(); /* of the end */
	writer_over = true
}

inline look(to)
{
	if
	:: MUTANT == NO_D -> load(HEAD, to)
	:: else -> load_acquire(HEAD, to) /* D */
	fi
}

inline copy_one()
{
	load(AREA + position % SLOTS, value);
	d_step {
		assert(value == position + 1);
		position++;
		value = 0
	}
}

active proctype Reader()
{
	byte to, value, told, records;
	bool by_head;

	if
	:: by_head = true
	:: by_head = false
	fi;
	do
	:: true ->
		to = position;
		if
		:: by_head -> look(to)
		:: else ->
			load_acquire(RECORDS, records);
			if
			:: told < records ->
				look(to);
				load(TOLD + told, value);
				assert(value <= to); /* else the piece is refused */
				to = value;
				value = 0;
				told++
			:: else
			fi
		fi;
		if
		:: position != to && MUTANT == NO_C ->
			store(R, TAIL, to, 0);
			do
			:: position != to -> copy_one()
			:: else -> break
			od
		:: position != to && MUTANT != NO_C ->
			do
			:: position != to -> copy_one()
			:: else -> break
			od;
			store(R, TAIL, position, 1) /* C */
		:: else ->
			store(R, PENDING, 0, 0);
			if
			:: MUTANT == NO_F
			:: else -> atomic { fence(R); fence_loads() } /* F */
			fi;
			if
			:: by_head -> load(HEAD, to)
			:: else -> load(RECORDS, records)
			fi;
			if
			:: by_head && to == position || !by_head && told == records -> atomic {
					bell -> bell = false
				}
			:: else
			fi
		fi
	od
}

/* When nothing can move any more, hardware had all its room and everything has arrived. */
active proctype Judge()
{
	timeout;
	assert(writer_over);
	assert(position == head)
}
