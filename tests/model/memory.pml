/* SPDX-License-Identifier: MIT */
/*
 * Memory as two CPUs see it. Promela is sequentially consistent by itself and would miss every
 * barrier, so what a CPU stores waits in its own buffer, and loads may be old:
 *
 *	TSO (x86)  buffers drain in order; loads are current (after one's own stores)
 *	ARM        buffers drain in any order, but for stores to the same place and stores with
 *	           release; a load may return what the CPU had seen before, until an acquire
 */
#ifdef TSO
#define IN_ORDER 1
#else
#define IN_ORDER 0
#endif

#define W 0 /* the firmware's CPU */
#define R 1 /* the reader's */

#ifndef DEPTH
#define DEPTH 3 /* of a store buffer */
#endif

#ifndef LOADERS
#define LOADERS	  1 /* R alone: W's loads are of mem */
#define AT(place) (place)
#endif

byte mem[PLACES];
byte seen[LOADERS * PLACES]; /* the values of each place that R has seen; or either, AT(place) */
byte b_place[2 * DEPTH], b_value[2 * DEPTH];
bit b_release[2 * DEPTH];
byte b_used[2];
byte flush_at;

#define B(cpu, i) ((cpu) * DEPTH + (i))

/* Put a store into the buffer; release: not before all that were put before. */
inline store(cpu, place, value, release)
{
	atomic {
		b_used[cpu] < DEPTH;
		b_place[B(cpu, b_used[cpu])] = place;
		b_value[B(cpu, b_used[cpu])] = value;
		b_release[B(cpu, b_used[cpu])] = release;
		b_used[cpu]++
	}
}

inline fence(cpu)
{
	b_used[cpu] == 0
}

/* A full fence on the reader's side makes its later loads current as well. */
inline fence_loads()
{
	d_step {
		flush_at = 0;
		do
		:: !IN_ORDER && flush_at < PLACES ->
			seen[AT(flush_at)] = mem[flush_at];
			flush_at++
		:: else -> break
		od;
		flush_at = 0
	}
}

/* A CPU loads a place of which it has no store of its own under way. */
inline load(place, to)
{
	atomic {
		if
		:: IN_ORDER -> to = mem[place]
		:: !IN_ORDER -> to = mem[place]; seen[AT(place)] = to
		:: !IN_ORDER && seen[AT(place)] != mem[place] -> to = seen[AT(place)]
		fi
	}
}

inline load_acquire(place, to)
{
	atomic {
		load(place, to);
		/* later loads are no older than the earlier ones */
		fence_loads()
	}
}

/* Whether entry i may leave before those in front of it. */
#define SAME(cpu, i, j) (b_place[B(cpu, i)] == b_place[B(cpu, j)])
#define FREE0(cpu)	(b_used[cpu] > 0)
#define FREE1(cpu)	(!IN_ORDER && b_used[cpu] > 1 && !b_release[B(cpu, 1)] && !SAME(cpu, 1, 0))
#define FREE2(cpu)	(!IN_ORDER && b_used[cpu] > 2 && !b_release[B(cpu, 2)] && \
			 !SAME(cpu, 2, 0) && !SAME(cpu, 2, 1))

inline leave(cpu, i)
{
	d_step {
		mem[b_place[B(cpu, i)]] = b_value[B(cpu, i)];
		flush_at = i;
		do
		:: flush_at + 1 < b_used[cpu] ->
			b_place[B(cpu, flush_at)] = b_place[B(cpu, flush_at + 1)];
			b_value[B(cpu, flush_at)] = b_value[B(cpu, flush_at + 1)];
			b_release[B(cpu, flush_at)] = b_release[B(cpu, flush_at + 1)];
			flush_at++
		:: else -> break
		od;
		b_place[B(cpu, flush_at)] = 0;
		b_value[B(cpu, flush_at)] = 0;
		b_release[B(cpu, flush_at)] = 0;
		flush_at = 0;
		b_used[cpu]--
	}
}

active [2] proctype Drain()
{
	byte cpu = _pid;

end:
	do
	:: atomic { FREE0(cpu) -> leave(cpu, 0) }
	:: atomic { FREE1(cpu) -> leave(cpu, 1) }
	:: atomic { FREE2(cpu) -> leave(cpu, 2) }
	od
}
