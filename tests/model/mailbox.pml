/* SPDX-License-Identifier: MIT */
/*
 * The mailbox: host-tools/region/mailbox.c asks, agent/input/mailbox.c answers. A text is its number; a
 * recording's command is followed by notes (`stop`, `slower`), which are sent while its state says
 * that it continues, and which its ticks look at without a copy. Both sides load what the other
 * stores. The letters are those of the source. MUTANT has one thing wrong.
 */
#define TEXT	0
#define REQUEST 1
#define STATUS	2
#define REPLY	3
#define STATE	4 /* of which command it says that it is being carried out */
#define PLACES	5

#define COMMANDS 2
#define NOTES	 2 /* of each */
#define LAST	 (COMMANDS * (1 + NOTES))

#define LOADERS	  2
#define AT(place) (me * PLACES + (place))
#include "memory.pml"

#define NONE		0
#define NO_A		1 /* the number without release */
#define NO_B		2 /* the status is loaded before the reply */
#define NO_C		3 /* the reply may be seen before the status, and before the text was read */
#define NO_D		4 /* the number without acquire */
#define NUMBER_FIRST	5 /* the number is stored before the text */
#define NOT_TAKEN	6 /* a note is sent before anything says that the command was copied */
#define STATE_EARLY	7 /* the state is reported before the text is copied */
#define NO_COPY		8 /* the command is read again when it has been carried out */
#define NOT_OURS	9 /* any reply is the last command's */

byte mutant = 77; /* chosen by tests/model/check */
#define MUTANT mutant

byte sent;	    /* the host's last number */
bit is_note[LAST + 1];

/* mailbox_send() */
inline send(note)
{
	atomic { sent++; is_note[sent] = note };
	if
	:: MUTANT == NUMBER_FIRST -> store(R, REQUEST, sent, true); store(R, TEXT, sent, false)
	:: else ->
		store(R, TEXT, sent, false);
		store(R, REQUEST, sent, MUTANT != NO_A) /* A */
	fi
}

/* mailbox_answered(), of the last but so many that are sent: what was answered, and with what */
inline await_reply(number)
{
	do
	:: MUTANT == NO_B -> load(STATUS, status); load(REPLY, reply);
		if
		:: reply >= number -> break
		:: else
		fi
	:: MUTANT != NO_B -> load_acquire(REPLY, reply); /* B */
		if
		:: reply >= number || (MUTANT == NOT_OURS && reply > 0) -> load(STATUS, status); break
		:: else
		fi
	od
}

active proctype Host()
{
	byte me = R, commands, notes, number, reply, status, state;

	do
	:: commands < COMMANDS ->
		commands++;
		send(0);
		number = sent;
		notes = 0;
		do
		:: notes < NOTES ->
			load_acquire(STATE, state);
			if
			:: state == number || MUTANT == NOT_TAKEN -> send(1)
			:: else
			fi;
			notes++
		:: break
		od;
		await_reply(number);
		/* that of a later one may have come since */
		assert(status >= number && (status == reply || sent > reply));
		await_reply(sent);
		assert(status == sent)
	:: else -> break
	od
}

/* mailbox_has(), at a tick of the recording */
inline tick()
{
	load_acquire(REQUEST, note); /* D */
	if
	:: note != number -> load(TEXT, copy); assert(copy >= note)
	:: else
	fi
}

active proctype Agent()
{
	byte me = W, answered, number, note, copy;

end:	do
	:: atomic { mem[REQUEST] != answered }; /* it looks as often as it can */
		/* mailbox_poll() */
		if
		:: MUTANT == NO_D -> load(REQUEST, number)
		:: else -> load_acquire(REQUEST, number) /* D */
		fi;
		if
		:: number == answered -> goto end
		:: MUTANT == STATE_EARLY -> store(W, STATE, number, true)
		:: MUTANT == NO_C -> store(W, REPLY, number, true)
		:: else
		fi;
		load(TEXT, copy);
		assert(copy >= number && (copy == number || is_note[number]));
		store(W, STATE, number, true);
		if
		:: tick()
		:: true
		fi;
		if
		:: MUTANT == NO_COPY -> load(TEXT, copy); assert(copy == number || is_note[number])
		:: else
		fi;
		/* mailbox_reply() */
		answered = number;
		store(W, STATUS, number, false);
		if
		:: MUTANT != NO_C -> store(W, REPLY, number, true) /* C */
		:: else
		fi
	od
}
