/* SPDX-License-Identifier: MIT */
/*
 * A live overwritable ring and a reader that verifies: ringbuf/ring.c's bound on what is in
 * flight, and overwritten() of ringbuf/reader/ring_reader.c. A record is one slot and a quarter of
 * the ring; slots count up here, which direction they lie in makes no difference.
 */
#define SLOTS	 4
#define RECORDS	 7
#define IN_FLIGHT (SLOTS / 4)

#define HEAD   0
#define DATA   1
#define PLACES (1 + SLOTS)

#include "memory.pml"

#define NONE	  0
#define NO_G	  1 /* records may be seen before the heads that were published before them */
#define NO_H	  2 /* head may be older than the copy */
#define NO_MARGIN 3 /* the reader trusts the oldest quarter, too */
#define NO_LOOK	  4 /* the reader does not look at head again */
#define NO_D	  5 /* head without acquire */
#define NO_A	  6 /* head without release */

byte mutant = 77; /* chosen by tests/model/check */
#define MUTANT mutant

#define MARGIN (MUTANT == NO_MARGIN -> 0 : IN_FLIGHT)

active proctype Writer()
{
	byte number;

	do
	:: number < RECORDS ->
		number++;
		store(W, DATA + number % SLOTS, number, MUTANT != NO_G); /* G */
		store(W, HEAD, number, MUTANT != NO_A)			 /* A */
	:: else -> break
	od
}

active proctype Reader()
{
	byte from, behind, now, copy;

	do
	:: true ->
		if
		:: MUTANT == NO_D -> load(HEAD, from)
		:: else -> load_acquire(HEAD, from) /* D */
		fi;
		behind = 0;
		do
		:: behind < from && behind < SLOTS ->
			load(DATA + (from - behind) % SLOTS, copy);
			if
			:: MUTANT == NO_H
			:: else -> fence_loads() /* H */
			fi;
			load(HEAD, now);
			if
			:: MUTANT != NO_LOOK && now - from + MARGIN + behind + 1 > SLOTS -> break
			:: else
			fi;
			assert(copy == from - behind);
			behind++
		:: else -> break
		od
	od
}
