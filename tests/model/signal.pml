/* SPDX-License-Identifier: MIT */
/*
 * Signals by NMI, of which a CPU keeps one that is pending at the most: what arch/x86_64/interrupt/nmi.c notes
 * of them, so that none is missed, and none is taken for an NMI of nobody's. Locked instructions
 * order all of it, whatever memory is like. MUTANT has one thing wrong.
 */
#define SIGNALS 5
#define CPUS	2

#define NONE	    0
#define NOT_LATE    1 /* one noted while another was being heard is nobody's */
#define NOT_DUE	    2 /* one that was heard in another's is nobody's */
#define SENT_FIRST  3 /* sent, and noted afterwards */
#define HEARD_LATER 4 /* the request is read before the note is taken */
#define ONE_MORE    5 /* of those that were noted meanwhile one NMI may come */

byte mutant = 77; /* chosen by tests/model/check */

bit sent, pending, inside;
byte more, due, asked, heard;

/* x86_expect_signal() */
inline note()
{
	d_step { was = sent; sent = 1 }
	if
	:: was -> more = CPUS
	:: else
	fi
}

active proctype Sender()
{
	byte n;
	bit was;

	do
	:: n < SIGNALS ->
		asked++;
		if
		:: mutant == SENT_FIRST -> pending = 1; note()
		:: else -> note(); pending = 1
		fi;
		n++
	:: else -> break
	od;
	atomic { !pending && !inside -> assert(!sent && heard == SIGNALS) }
}

/* nmi_owe() */
inline owe(n)
{
	d_step { due = (due + n < CPUS -> due + n : CPUS) }
}

/* account_rare() */
inline account()
{
	if
	:: d_step { due > 0 && mutant != NOT_DUE -> due-- }
	:: else ->
		d_step { late = (mutant == NOT_LATE -> 0 : more); more = more - late }
		if
		:: late > 0 -> owe(late - 1)
		:: else -> assert(sent)
		fi
	fi
}

/* nmi_hear() */
inline hear()
{
	byte seen = asked;

	d_step { was = sent; sent = 0 }
	if
	:: was ->
		d_step { late = (mutant == ONE_MORE && more -> 1 : more); more = 0 }
		owe((alone -> 0 : 1) + late);
		heard = (mutant == HEARD_LATER -> seen : asked)
	:: else
	fi
}

/* x86_nmi_entry, x86_nmi_rest() */
active proctype Handler()
{
	bit was, alone;
	byte late;

end:	do
	:: atomic { pending -> pending = 0; inside = 1; alone = sent }
		if
		:: !alone -> account()
		:: else
		fi;
		if
		:: sent -> hear()
		:: else
		fi;
		atomic { inside = 0; was = 0; alone = 0 }
	od
}
