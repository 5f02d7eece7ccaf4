/* SPDX-License-Identifier: MIT */
/*
 * Faults to compile in on purpose, which prove that a test can fail: cc
 * -DRING_FAULTS=RING_FAULT_EARLY_PUBLISH. No product is built with a fault.
 */
#ifndef RINGBUF_FAULT_H
#define RINGBUF_FAULT_H

#define RING_FAULT_NOTIFY_FIRING 1  /* notify the event that fired instead of the owner */
#define RING_FAULT_EARLY_PUBLISH 2  /* publish data_head before the record is complete */
#define RING_FAULT_FORGET_LOST   4  /* write no LOST record */
#define RING_FAULT_NO_FENCE      8  /* wake without the full fence */
#define RING_FAULT_TRUST_TAIL    16 /* accept any data_tail */
#define RING_FAULT_TORN_RESERVE  32 /* reserve space with a load and a store */
#define RING_FAULT_NO_REPUBLISH  64 /* the outermost writer does not look for nested records */
/* Makes the effect of a missing fence likely: delays the store to pending in a store buffer for as
 * long as a reader takes to wake. */
#define RING_FAULT_STORE_BUFFER  128

#define RING_FAULT_NOT_ALONE 256 /* a writer that interrupted another writer acts as if alone */

#ifdef RING_FAULTS_CHOSEN_LATER /* by the test of the tests */
extern unsigned ring_faults;
#define RING_FAULTS ring_faults
#endif

#ifndef RING_FAULTS
#define RING_FAULTS 0
#endif

#define RING_FAULT(name) ((RING_FAULTS & RING_FAULT_##name) != 0)

#endif
