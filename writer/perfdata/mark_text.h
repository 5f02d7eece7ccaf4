/* SPDX-License-Identifier: MIT */
/*
 * Marks, as the machine writes them (pmu/mark.h): PERF_COUNT_SW_BPF_OUTPUT's samples, whose RAW is
 * text up to a NUL, or a format with its values behind it.
 */
#ifndef WRITER_PERFDATA_MARK_TEXT_H
#define WRITER_PERFDATA_MARK_TEXT_H

#include <stdbool.h>

#include "writer/perfdata/sample.h"

#define MARK_TEXT_MAX 160U /* bytes of the longest RAW with values */

/* Whether samples of such an event are marks. */
bool mark_text_is(const struct perf_event_attr *attr);

/* If record, which may have any content, is a mark with values, replace the format and the values
 * by their text, followed by NULs. The record's size does not change. A text that does not fit ends
 * with "...". */
void mark_text_put(struct perf_event_header *record, const struct perf_event_attr *attr);

/* The text of a parsed mark as a string, cut if it does not fit. False if there is none: it has no
 * end, or is not text. */
bool mark_text_get(const struct sample *sample, char *text, size_t size);

/*
 * The meaning of a mark's text:
 *
 *	begin NAME, end NAME		a region's limits
 *	phase NAME			the begin of a phase, which the next one ends
 *	boot device MODULE: PATH	a UEFI driver manages this device
 *	SOURCE SECONDS s: WHAT		a firmware's own time outside the recording; SOURCE is FPDT,
 *					coreboot, bootstage, or "boot counter": the CPU's counter
 *	else				a moment
 */
enum mark_kind { MARK_MOMENT, MARK_BEGIN, MARK_END, MARK_PHASE, MARK_DEVICE, MARK_FIRMWARE };

/* *name: within text, the name of the region or phase, the module of a device; else all of it. */
enum mark_kind mark_text_kind(const char *text, const char **name);

#endif
