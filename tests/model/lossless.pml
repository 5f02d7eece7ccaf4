/* SPDX-License-Identifier: MIT */
/*
 * `record --lossless`: CPUs whose programs share a lock, and which stall together until a reader
 * has made room (agent/record/lossless/record_lossless.c). The reader sees of a ring only the part
 * that some CPU pumps. The reader may die; it is then given up, and may have a successor. A record is one
 * slot. A CPU repeats its messages to other CPUs with each tick, and signals are barriers, so
 * memory order has no part in this model. MUTANT has one fault.
 */
#define CPUS	2
#define RING	3
#define RESERVE 3 /* a timer's record, one of a handler nested in it, and one more before the signal */
#define SAMPLES (me == 0 -> 4 : 2)
#define NOBODY	CPUS

#define NONE	     0
#define SMALL	     1 /* the reserve is less than the records written before a CPU stalls */
#define NO_GATE	     2 /* a timer writes without a check of the room */
#define NO_SIGNAL    3 /* a record that leaves too little room sends no signal */
#define HANDLER	     4 /* a CPU that has interrupted a handler stalls, too */
#define FOR_STALLED  5 /* a CPU stalls while another one stalls, not while another one waits */
#define ALL_FIRST    6 /* a stalled CPU continues only when all others stall */
#define NO_PUMP	     7 /* a stalled CPU leaves the line to the running ones */
#define KEEPS_RIGHT  8 /* a CPU that leaves without room is still noted as waiting */
#define NO_END	     9 /* a dead reader is waited for */

byte mutant = 77; /* chosen by tests/model/check */

byte used[CPUS];
bit waits[CPUS], stalls[CPUS], pending[CPUS], live[CPUS];
bit excused[CPUS]; /* its ring was left without a reader, and has had no room since */

byte ended;
byte lock = NOBODY; /* its holder */
bit pumping;	    /* a CPU is at the line */
bit dead, heir, died, given_up;

#define OTHER	    (1 - me)
#define ROOM(cpu)   (RING - used[cpu])
#define MAY_STALL   (!given_up)
#define IS_LOW	    (ROOM(me) < (mutant == SMALL -> RESERVE - 1 : RESERVE))
#define OTHERS_WAIT (mutant == FOR_STALLED  -> stalls[OTHER] : waits[OTHER])

inline take(cpu)
{
	used[cpu]--;
	excused[cpu] = excused[cpu] && ROOM(cpu) < RESERVE;
	given_up = 0 /* a tail has moved */
}

/* One record of any ring; how long a line takes is chance. */
inline pump()
{
	if
	:: used[0] > 0 -> take(0)
	:: used[1] > 0 -> take(1)
	fi
}

inline record()
{
	d_step {
		samples++;
		if
		:: ROOM(me) >= RESERVE && !given_up -> excused[me] = 0
		:: else
		fi;
		if
		:: ROOM(me) > 0 -> used[me]++
		:: else -> assert(excused[me]) /* lost */
		fi;
		if /* lossless_low() */
		:: MAY_STALL && IS_LOW && mutant != NO_SIGNAL -> pending[me] = 1
		:: else
		fi
	}
}

/* lossless_look(), and lossless_stall(), as far as it matters here. */
inline look()
{
	atomic {
		pending[me] = 0;
		waits[me] = MAY_STALL && IS_LOW;
		stalls[me] = MAY_STALL && (waits[me] || OTHERS_WAIT)
	};
	do
	:: atomic { !stalls[me] -> break }
	:: atomic {
			stalls[me] && mutant != NO_PUMP && !pumping && !dead && used[0] + used[1] > 0 ->
			pump()
		}
	:: atomic { stalls[me] && pending[me] -> pending[me] = 0 }
	:: atomic {
			stalls[me] && waits[me] && live[OTHER] && !stalls[OTHER] && !pending[OTHER] ->
			pending[OTHER] = 1
		}
	:: atomic {
			stalls[me] && waits[me] && dead && MAY_STALL && mutant != NO_END ->
			given_up = 1;
			excused[0] = 1;
			excused[1] = 1
		}
	:: atomic {
			stalls[me] && MAY_STALL && waits[me] && ROOM(me) >= RESERVE &&
			(mutant != ALL_FIRST || stalls[OTHER]) ->
			waits[me] = 0
		}
	:: atomic {
			stalls[me] && (!MAY_STALL || (!waits[me] && !OTHERS_WAIT)) ->
			waits[me] = waits[me] && mutant == KEEPS_RIGHT;
			stalls[me] = 0
		}
	od
}

/* The CPU handles a signal at the end. A signal inside another handler has no effect. */
inline nested()
{
	if
	:: atomic {
			samples < SAMPLES -> record();
			if
			:: mutant == HANDLER && pending[me] -> look()
			:: else -> pending[me] = 0
			fi
		}
	:: true
	fi
}

inline overflow()
{
	atomic {
		record();
		if
		:: pending[me] -> look()
		:: else
		fi
	}
}

/* The tick, which pumps the line, and the sample of cpu-clock. */
inline timer()
{
	if
	:: mutant != NO_GATE -> look()
	:: else
	fi;
	if
	:: atomic { !pumping -> pumping = 1 };
		nested();
		atomic {
			if
			:: !dead && used[0] + used[1] > 0 -> pump()
			:: true
			fi;
			pumping = 0
		}
	:: pumping
	fi;
	atomic {
		if
		:: samples < SAMPLES -> record(); pending[me] = 0
		:: else
		fi
	}
}

active [CPUS] proctype Cpu()
{
	byte me = _pid, samples;
	bit over, ticked;

	live[me] = 1;
	do
	:: atomic { samples < SAMPLES -> overflow() }
	:: samples < SAMPLES || !ticked -> timer(); ticked = samples == SAMPLES
	:: pending[me] -> look()
	:: atomic { !over && lock == me -> lock = NOBODY; over = 1 }
	:: atomic { !over && lock == NOBODY -> lock = me }
	:: over && samples == SAMPLES && ticked -> break
	od;
	atomic { live[me] = 0; pending[me] = 0 };
	ended++
}

active proctype Reader()
{
end:	do
	:: atomic {
			!died -> dead = 1;
			died = 1;
			if
			:: heir = 1
			:: heir = 0
			fi
		}
	:: atomic { dead && heir -> dead = 0 }
	od
}

active proctype Judge()
{
	timeout;
	assert(ended == CPUS)
}
