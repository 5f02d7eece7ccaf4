/* SPDX-License-Identifier: MIT */
/*
 * How a record is written: ring_try(), ring_reserve_slow(), ring_commit() and ring_publish() of
 * ringbuf/ring.h and ring.c, for every model that writes. Each step is one before which a handler
 * may come, and that makes a difference to it or to the reader. Private words are seen by handlers
 * in the program's order. The including model says what loading a tail, building a record, showing
 * a head and waking are: begin(), look_tail(), build(), show_head(), wake(); MAY_WRAP, whether any
 * record may have to go the general way; and INNERMOST, whom nothing interrupts, so that it may be
 * alone: ring_is_alone() and ring_commit_alone().
 */
#define NOBODY 255 /* claim of no position */

byte published, head, claim_at = NOBODY, claim_size; /* claim is one word: set in one step */
byte lost, reported, good_tail;
byte written[LEVELS];
bool limit0; /* something has to be looked at, when the outermost writer is done */

#define CLAIMED (claim_at == published -> claim_size : 0)
#define END	(head > published + CLAIMED -> head : published + CLAIMED)

/* Become the outermost writer, with nothing claimed yet. */
inline hold()
{
	do
	:: true ->
		at = published;
		d_step { claim_at = at; claim_size = 0 }
		if
		:: published == at -> break
		:: else
		fi
	od
}

/* Is somebody under way? claim is loaded before published. */
inline is_writing(yes)
{
	if
	:: MUTANT == PUBLISHED_FIRST -> at = published; yes = (claim_at == at)
	:: else -> at = claim_at; yes = (at == published)
	fi
}

inline publish(who)
{
	do
	:: true ->
		is_writing(nested);
		if
		:: !nested -> hold()
		:: else
		fi;
		end = END;
		show_head(end);
		wake(who);
		limit0 = false;
		published = end;
		claim_at = NOBODY;
		if
		:: head > end && MUTANT != NO_REPUBLISH
		:: else -> break
		fi
	od
}

/* Nobody under way, and nothing to look at; where samples wake, the ring always looks. */
#define MAY_BE_ALONE                                                                     \
	(!(lost != reported || limit0 || published + 1 - good_tail > SLOTS) &&           \
	 (MUTANT == NOT_ALONE || head <= published && claim_at != published))

/* Write one record; wants: its commit completes wakeup_events. */
inline write(who, value, wants)
{
	begin(value);
	if
	:: MAY_WRAP -> goto general /* limit says so */
	:: true
	fi;
	if
	:: who == INNERMOST && !wants && MAY_BE_ALONE ->
		build(published, value);
		written[who]++;
		end = published + 1;
		show_head(end);
		published = end;
		goto done
	:: else
	fi;
	at = published;
	if
	:: lost != reported || limit0 || at + 1 - good_tail > SLOTS -> goto general
	:: else
	fi;
	if
	:: head > at && MUTANT != NO_HEAD -> goto general
	:: else
	fi;
	if
	:: claim_at == at -> goto general
	:: else
	fi;
	d_step { claim_at = at; claim_size = 1 }
	if
	:: published != at && MUTANT != TORN_RESERVE -> goto general
	:: else
	fi;
	end = at + 1;
	if
	:: MUTANT == PUBLISH_EARLY -> show_head(end)
	:: else
	fi;
	build(at, value);
	d_step { written[who]++; limit0 = limit0 || wants }
	d_step { end = (head > end -> head : end) }
	if
	:: limit0 || lost != reported -> publish(who)
	:: else ->
		if
		:: MUTANT == SHOW_LAST -> published = end; show_head(end)
		:: else -> show_head(end); published = end
		fi;
		if
		:: head > end && MUTANT != NO_REPUBLISH -> publish(who)
		:: else
		fi
	fi;
	goto done;
general:
	is_writing(nested);
	if
	:: !nested -> hold()
	:: else
	fi;
again:
	was = head;
	d_step {
		at = (was > published + CLAIMED -> was : published + CLAIMED);
		due = (MUTANT == FORGET_LOST -> 0 : lost - reported);
		end = at + 1 + (due > 0 -> 1 : 0)
	}
	look_tail();
	if
	:: d_step { end - good_tail > SLOTS -> lost++ }
		goto finish
	:: d_step { end - good_tail <= SLOTS && head == was ->
			/* In truth two steps, the second of which may take back the first; what
			 * a handler in between sees is what it sees before or after both. */
			head = end;
			reported = reported + due
		}
	:: else -> goto again
	fi;
	if
	:: due > 0 -> build(at, LOST + due); at++
	:: else
	fi;
	build(at, value);
	d_step { written[who]++; limit0 = limit0 || wants }
finish:
	if
	:: !nested -> publish(who)
	:: else
	fi;
done:
	skip;
	d_step { at = 0; end = 0; due = 0; was = 0; nested = 0 }
}
