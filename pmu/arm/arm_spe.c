/* SPDX-License-Identifier: MIT */
/*
 * The profiling buffer is a piece of the AUX area, from the place of the next record (PMBPTR_EL1)
 * to a page boundary (PMBLIMITR_EL1), where the hardware stops and interrupts.
 *
 *	aux_tail         head = PMBPTR      wakeup    PMBLIMITR
 *	---+-----------------+-----------------+----------+------
 *	    unread            the hardware's buffer       ^ first page boundary at or behind
 *	                                                    the wakeup, before unread data
 *	                                                    and the area's end
 *
 * In snapshot mode the area is overwritten: the hardware fills one half after the other, and stops
 * at the end of each half so that a record begins at a known place.
 */
#include "pmu/arm/arm_spe.h"

#include <errno.h>

#include "arch/aarch64/pmu/spe.h"
#include "pmu/arm/arm_spe_config.h"
#include "pmu/arm/arm_spe_counts.h"

#define PAGE ((uint64_t)PMBLIMITR_PAGE)

/* After so many faults in a row without a record in between the event stays stopped. */
#define MOST_FAULTS 8U

/* The event that uses each CPU's SPE. */
static struct perf_event *owners[TR_MAX_CPUS];

static uint64_t arm_spe_round_down(uint64_t value, uint64_t multiple)
{
	return value & -multiple;
}

static uint64_t arm_spe_round_up(uint64_t value, uint64_t multiple)
{
	return (value + multiple - 1) & -multiple;
}

static uint64_t arm_spe_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- The buffer; positions count on over the whole trace: page and area sizes divide them ---- */

/* Where the next record can begin, from head on. A record does not cross a page's end if that is
 * the limit, so the bytes before it may be padding. */
static uint64_t arm_spe_first_start(uint64_t head)
{
	return PAGE - head % PAGE < arm_spe_unit.max_record ? arm_spe_round_up(head, PAGE) : head;
}

/* Whether the hardware would get room for at least one record. */
static bool arm_spe_has_room(struct ring_aux *aux, uint64_t filled)
{
	uint64_t head = aux->head + filled, room = ring_aux_room(aux) - filled;

	return arm_spe_round_down(head + room, PAGE) > arm_spe_first_start(head);
}

static uint64_t arm_spe_limit_of(const struct ring_aux_output *out)
{
	const struct ring_aux *aux = out->aux;
	uint64_t limit = arm_spe_round_up(aux->head + 1, aux->size);

	if (aux->overwrite)
		return arm_spe_round_up(aux->head + 1, aux->size / 2);
	limit = arm_spe_least(limit, arm_spe_round_down(aux->head + out->size, PAGE));
	return arm_spe_least(limit, arm_spe_round_up(out->wakeup, PAGE));
}

static uint64_t arm_spe_at(const struct hw_arm_spe *hw, const struct ring_aux *aux, uint64_t at)
{
	return hw->area + (at & (aux->size - 1));
}

/* The bytes written since the buffer was programmed; the hardware's pointer is only bounded. */
static uint64_t arm_spe_filled_of(const struct perf_event *event)
{
	const struct hw_arm_spe *hw = arm_spe_of(event);
	uint64_t filled = arch_counter_read(PMBPTR_EL1) -
	                  arm_spe_at(hw, event->aux, event->aux->head);

	return arm_spe_least(filled, hw->limit - event->aux->head);
}

/* Give the hardware the piece from head on. Order of D17.7.1: the pointers, then the enable.
 * Sampling continues when the caller clears PMBSR_EL1.S. */
static void arm_spe_program(struct perf_event *event)
{
	struct hw_arm_spe *hw = arm_spe_of(event);
	uint64_t head = event->aux->head, arm_spe_start = arm_spe_at(hw, event->aux, head);

	hw->limit = arm_spe_limit_of(&hw->output);
	arch_counter_write(PMBPTR_EL1, arm_spe_start);
	arch_counter_write(PMBLIMITR_EL1, (arm_spe_start + (hw->limit - head)) | PMBLIMITR_E);
	arch_reg_sync();
}

/* Begin a transaction and give its room to the hardware, at least one record's. Returns false if
 * there is no room; the owner has then been woken. */
static bool arm_spe_hand_over(struct perf_event *event)
{
	struct hw_arm_spe *hw = arm_spe_of(event);
	struct ring_aux_output *out = &hw->output;
	uint64_t skip;

	if (ring_aux_begin(out, event->aux, 1))
		return false;
	skip = arm_spe_first_start(event->aux->head) - event->aux->head;
	if (skip && ring_aux_skip(out, skip)) {
		ring_aux_end(out, 0);
		return false;
	}
	hw->handed_over = true;
	arm_spe_program(event);
	return true;
}

static void arm_spe_hand_over_if_room(struct perf_event *event)
{
	if (arm_spe_has_room(event->aux, 0))
		arm_spe_hand_over(event);
}

static void arm_spe_disable_buffer(void)
{
	arch_counter_write(PMBLIMITR_EL1, 0);
	arch_reg_sync();
}

/* Clearing S ends the interrupt; sampling continues if a buffer is enabled. */
static void arm_spe_clear_status(void)
{
	arch_counter_write(PMBSR_EL1, 0);
	arch_reg_sync();
}

/* ---- Why the hardware stopped ---- */

static bool arm_spe_is_fault(uint64_t status)
{
	return status & PMBSR_EA || (status >> PMBSR_EC & PMBSR_EC_MASK) != PMBSR_EC_BUFFER ||
	       (status & PMBSR_BSC) != PMBSR_BSC_FILLED;
}

/* After a fault with PMBSR_EL1.DL set, the last record may be cut off, and old bytes may follow it
 * (D17.7, "Faults and watchpoints"). If records are aligned to their largest size, the last one is
 * dropped; otherwise the reader, which parses them all, finds where the last whole one ends. */
static uint64_t arm_spe_trust(uint64_t status, uint64_t filled, struct ring_aux_output *out)
{
	uint64_t whole = filled;

	if (!(status & PMBSR_DL) || !arm_spe_is_fault(status))
		return filled;
	if (status & PMBSR_EA)
		whole = 0; /* the written bytes cannot be trusted at all */
	else if (arm_spe_unit.align == arm_spe_unit.max_record && filled)
		whole = arm_spe_round_down(filled - 1, arm_spe_unit.max_record);
	ring_aux_lost(out, filled - whole);
	return whole;
}

static uint64_t arm_spe_flags_of(uint64_t status)
{
	uint64_t flags = status & PMBSR_COLL ? PERF_AUX_FLAG_COLLISION : 0;

	if (status & PMBSR_DL || (status & PMBSR_S && arm_spe_is_fault(status)))
		flags |= PERF_AUX_FLAG_PARTIAL;
	return flags;
}

/* ---- Starting and stopping ---- */

/* End the transaction with the bytes in the buffer. more: the caller wants another buffer. Returns
 * whether there will be room for it. */
static bool arm_spe_take_back(struct perf_event *event, uint64_t status, bool more)
{
	struct hw_arm_spe *hw = arm_spe_of(event);
	uint64_t filled = status & PMBSR_S
	                      ? arm_spe_trust(status, arm_spe_filled_of(event), &hw->output)
	                      : arm_spe_filled_of(event);
	bool room = !more || arm_spe_has_room(event->aux, filled);

	hw->faults = status & PMBSR_S && arm_spe_is_fault(status) && !filled ? hw->faults + 1 : 0;
	hw->handed_over = false;
	ring_aux_flag(&hw->output, hw->flags | arm_spe_flags_of(status));
	if (!room)
		ring_aux_flag(&hw->output, PERF_AUX_FLAG_TRUNCATED);
	hw->flags = 0;
	ring_aux_end(&hw->output, filled);
	return room;
}

static void arm_spe_zero(uint64_t from, uint64_t to)
{
	for (uint8_t *at = (uint8_t *)from; at < (uint8_t *)to; at++)
		*(volatile uint8_t *)at = 0; /* a padding packet, D18.2.8 */
}

/* Snapshot mode: continue in the next half. Padding replaces older records in this half's rest. */
static void arm_spe_go_round(struct perf_event *event, uint64_t status)
{
	struct hw_arm_spe *hw = arm_spe_of(event);
	uint64_t bytes = hw->limit - event->aux->head;
	uint64_t begin = arm_spe_at(hw, event->aux, event->aux->head);

	hw->flags |= arm_spe_flags_of(status); /* kept for the next AUX record */
	arm_spe_zero(begin + arm_spe_filled_of(event), begin + bytes);
	ring_aux_pass(&hw->output, bytes);
	arm_spe_program(event);
}

/* arm_spe_take_back(), then arm_spe_hand_over(). In between a CPU that waits for room
 * (`--lossless`) waits, while the reader takes the filled part. Returns whether the hardware has a
 * buffer again. */
static bool arm_spe_switch(struct perf_event *event, uint64_t status)
{
	struct hw_arm_spe *hw = arm_spe_of(event);
	bool waits = event->await_room && event->await_room(event, 0);
	bool room = arm_spe_take_back(event, status, !waits);

	if (waits) {
		room = event->await_room(event, 2 * PAGE) && arm_spe_has_room(event->aux, 0);
		hw->flags |= room ? 0 : PERF_AUX_FLAG_PARTIAL; /* kept for the next AUX record */
	}
	return room && hw->running && !hw->faults && arm_spe_hand_over(event);
}

static void arm_spe_interrupt(const struct arch_regs *regs)
{
	struct perf_event *event = owners[arch_cpu()];
	struct hw_arm_spe *hw;
	uint64_t status;

	(void)regs;
	/* After this all samples are in memory, and the status shows the result. */
	arch_trace_sync();
	status = arch_counter_read(PMBSR_EL1);
	if (!(status & PMBSR_S))
		return;
	hw = event ? arm_spe_of(event) : NULL;
	if (!hw || !hw->handed_over) {
		if (hw)
			hw->seen |= status; /* for the interrupted arm_spe_finish() */
		arm_spe_disable_buffer();
	} else if (event->aux->overwrite && !arm_spe_is_fault(status)) {
		arm_spe_go_round(event, status);
	} else if (!arm_spe_switch(event, status)) {
		arm_spe_disable_buffer(); /* until arm_spe_poll() */
	}
	arm_spe_clear_status();
}

/* Stop sampling and flush the samples to memory; only then disable the buffer, or records still
 * under way would be lost (D17.6.2). */
static void arm_spe_quiesce(void)
{
	arch_counter_write(PMSCR_EL1, 0);
	if (arm_spe_unit.el2)
		arch_counter_write(PMSCR_EL2, 0);
	arch_reg_sync();
	arch_trace_sync();
}

/* Stop sampling, and end the transaction if there is one. A handler may interrupt this thread;
 * after the exchange below it does nothing. */
static void arm_spe_finish(struct perf_event *event)
{
	struct hw_arm_spe *hw = arm_spe_of(event);
	uint64_t status;
	bool handed_over;

	arm_spe_quiesce();
	hw->seen = 0;
	handed_over = __atomic_exchange_n(&hw->handed_over, false, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	arm_spe_disable_buffer();
	status = arch_counter_read(PMBSR_EL1);
	if (handed_over)
		arm_spe_take_back(event, status | hw->seen, false);
	arm_spe_clear_status();
}

static void arm_spe_sample(const struct hw_arm_spe *hw)
{
	if (arm_spe_unit.el2)
		arch_counter_write(PMSCR_EL2, hw->registers.pmscr_el2);
	arch_counter_write(PMSCR_EL1, hw->registers.pmscr_el1);
	arch_reg_sync();
}

static int arm_spe_add(struct perf_event *event)
{
	int code;

	if (owners[event->cpu])
		return -EBUSY;
	code = arm_spe_check_cpu();
	if (code)
		return code;
	arm_spe_quiesce(); /* clears whatever state firmware left */
	arm_spe_disable_buffer();
	arm_spe_clear_status();
	code = arch_trace_interrupt_init(arm_spe_interrupt);
	if (code)
		return code;
	owners[event->cpu] = event;
	/* perf reads a record's CONTEXT packet as the thread's number. */
	arm_spe_of(event)->context = arch_counter_read(CONTEXTIDR_EL1);
	arch_counter_write(CONTEXTIDR_EL1, event->cpu + 1);
	return 0;
}

static void arm_spe_del(struct perf_event *event)
{
	arch_counter_write(CONTEXTIDR_EL1, arm_spe_of(event)->context);
	owners[event->cpu] = NULL;
}

static void arm_spe_start(struct perf_event *event)
{
	struct hw_arm_spe *hw = arm_spe_of(event);

	arm_spe_write_filters(&hw->registers);
	arm_spe_counts_start(event);
	hw->flags = 0;
	hw->faults = 0;
	hw->running = true;
	if (hw->registers.discard) {
		arch_counter_write(PMBPTR_EL1, hw->area);
		arch_counter_write(PMBLIMITR_EL1,
		                   (hw->area + PAGE) | PMBLIMITR_DISCARD | PMBLIMITR_E);
		arch_reg_sync();
	} else {
		arm_spe_hand_over_if_room(event);
	}
	arm_spe_sample(hw);
}

static void arm_spe_stop(struct perf_event *event)
{
	arm_spe_finish(event);
	arm_spe_counts_stop(event);
	arm_spe_of(event)->running = false;
}

static int arm_spe_setup_aux(struct perf_event *event, void *area, uint64_t size)
{
	if (size < 2 * PAGE)
		return -EINVAL;
	arm_spe_of(event)->area = (uint64_t)(uintptr_t)area;
	return 0;
}

/* Continue if the reader has made room. After a snapshot the reader must have taken all of it
 * first. */
static void arm_spe_poll(struct perf_event *event)
{
	struct hw_arm_spe *hw = arm_spe_of(event);

	if (!hw->running || hw->handed_over || hw->registers.discard || hw->faults >= MOST_FAULTS ||
	    !ring_aux_taken(event->aux))
		return;
	arm_spe_hand_over_if_room(event);
}

static void arm_spe_snapshot(struct perf_event *event)
{
	struct hw_arm_spe *hw = arm_spe_of(event);

	if (!hw->handed_over)
		return;
	arm_spe_finish(event);
	arm_spe_sample(hw); /* runs without a buffer until arm_spe_poll() */
}

const struct pmu pmu_arm_spe = {
	.source.name = "arm_spe",
	.source.description = "statistical profiling of operations",
	.source.type = PERF_TYPE_ARM_SPE,
	.source.flags = PMU_AUX,
	.source.config = ARM_SPE_TS_ENABLE,
	.source.formats = arm_spe_formats,
	.probe = arm_spe_probe,
	.event_init = arm_spe_event_init,
	.add = arm_spe_add,
	.del = arm_spe_del,
	.start = arm_spe_start,
	.stop = arm_spe_stop,
	.read = arm_spe_counts_read,
	.setup_aux = arm_spe_setup_aux,
	.poll = arm_spe_poll,
	.snapshot = arm_spe_snapshot,
};
