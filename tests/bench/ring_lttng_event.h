/* SPDX-License-Identifier: MIT */
/* LTTng-UST's event with the size of our record, and the events with the content of a mark.
 * LTTng-UST's headers read this file several times, as they require. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bareperf_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./tests/bench/ring_lttng_event.h"

#if !defined(TESTS_BENCH_RING_LTTNG_EVENT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TESTS_BENCH_RING_LTTNG_EVENT_H

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(bareperf_bench, sample,
	LTTNG_UST_TP_ARGS(uint64_t, ip, uint64_t, tid, uint64_t, addr, uint64_t, id,
			  uint64_t, period, uint64_t, cpu),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, ip, ip)
		lttng_ust_field_integer(uint64_t, tid, tid)
		lttng_ust_field_integer(uint64_t, addr, addr)
		lttng_ust_field_integer(uint64_t, id, id)
		lttng_ust_field_integer(uint64_t, period, period)
		lttng_ust_field_integer(uint64_t, cpu, cpu)
	)
)
LTTNG_UST_TRACEPOINT_EVENT(bareperf_bench, mark,
	LTTNG_UST_TP_ARGS(const char *, text),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(text, text)
	)
)
LTTNG_UST_TRACEPOINT_EVENT(bareperf_bench, mark_values,
	LTTNG_UST_TP_ARGS(const char *, text, unsigned, a, unsigned long, b),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(text, text)
		lttng_ust_field_integer(unsigned, a, a)
		lttng_ust_field_integer(unsigned long, b, b)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
