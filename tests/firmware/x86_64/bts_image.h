/* SPDX-License-Identifier: MIT */
/* Common code of images that trace branches by the branch trace store: one event, its ring, and the
 * image itself as its reader. */
#ifndef TESTS_FIRMWARE_X86_64_BTS_IMAGE_H
#define TESTS_FIRMWARE_X86_64_BTS_IMAGE_H

#include "pmu/sample.h"
#include "pmu/x86/intel_bts.h"
#include "tests/firmware/image.h"

static _Alignas(TR_PAGE) struct perf_event_mmap_page control;
static _Alignas(TR_PAGE) uint8_t data[16 * TR_PAGE];
static uint64_t scratch[RING_LEVELS * 1024];
static struct ring ring;
static struct ring_owner owner; /* the caller sets the function that notifies the reader */
static struct ring_aux aux;
static struct tr_doorbell doorbell;
static struct perf_event event; /* the caller initialises it with zeros */

/* Prepare the event for enabling, with an AUX area and a data ring of these sizes. */
static bool bts_prepare(uint8_t *area, uint64_t size, uint64_t watermark, uint64_t data_size)
{
	struct ring_config config = {
		.control = &control,
		.data = data,
		.size = data_size,
		.max_record = 1024,
		.scratch = scratch,
		.owner = &owner,
	};

	memset(&control, 0, sizeof(control));
	doorbell.pending = 0;
	event.attr = (struct perf_event_attr){
		.type = PERF_TYPE_INTEL_BTS,
		.size = sizeof(event.attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		               PERF_SAMPLE_CPU,
		.sample_max_stack = 1,
		.aux_watermark = (uint32_t)watermark,
	};
	event.ring = &ring;
	event.aux = &aux;
	event.account.id = 1;
	event.account.trailer_size = sample_id_size(event.attr.sample_type);
	event.account.trailer = sample_trailer;
	return !ring_init(&ring, &config) && !event_init(&event) &&
	       !ring_aux_init(&aux, &ring, &event.account,
	                      &(struct ring_aux_config){
	                          .area = area, .size = size, .watermark = watermark }) &&
	       !pmu_intel_bts.setup_aux(&event, area, size);
}

static inline void bts_read_all(void)
{
	__atomic_store_n(&control.aux_tail, control.aux_head, __ATOMIC_RELEASE);
	__atomic_store_n(&control.data_tail, control.data_head, __ATOMIC_RELEASE);
	__atomic_store_n(&doorbell.pending, 0, __ATOMIC_RELAXED);
}

#endif
