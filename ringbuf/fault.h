/* SPDX-License-Identifier: MIT */
/*
 * Faults that can be built in, to show that a test is able to fail:
 * cc -DRING_FAULTS=RING_FAULT_EARLY_PUBLISH. No product is built with one.
 */
#ifndef RINGBUF_FAULT_H
#define RINGBUF_FAULT_H

#define RING_FAULT_NOTIFY_FIRING 1  /* the event that fired is notified, not the owner */
#define RING_FAULT_EARLY_PUBLISH 2  /* data_head is published before the record is complete */
#define RING_FAULT_FORGET_LOST   4  /* no LOST record is written */
#define RING_FAULT_NO_FENCE      8  /* a wakeup without its full fence */
#define RING_FAULT_TRUST_TAIL    16 /* data_tail is believed, whatever it says */
#define RING_FAULT_TORN_RESERVE  32 /* space is reserved by a load and a store */
#define RING_FAULT_NO_REPUBLISH  64 /* the outermost writer does not look again */
/* Makes the effect of a missing fence likely: the store to pending stays in a store buffer for as
 * long as a reader takes to wake. */
#define RING_FAULT_STORE_BUFFER  128

#define RING_FAULT_NOT_ALONE 256 /* a writer that interrupted another one acts as if alone */

#ifdef RING_FAULTS_CHOSEN_LATER /* by the test of the tests */
extern unsigned ring_faults;
#define RING_FAULTS ring_faults
#endif

#ifndef RING_FAULTS
#define RING_FAULTS 0
#endif

#define RING_FAULT(name) ((RING_FAULTS & RING_FAULT_##name) != 0)

#endif
