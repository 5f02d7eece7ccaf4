/* SPDX-License-Identifier: MIT */
/* Chooses libpfm4's table of event names for a CPU. libpfm4 itself chooses by the CPU that it runs
 * on, which is not the measured machine's. */
#ifndef HOST_TOOLS_EVENTS_EVENT_PMUS_H
#define HOST_TOOLS_EVENTS_EVENT_PMUS_H

#include <stdbool.h>
#include <stdint.h>

/* A CPU's identity, as in the trace region. */
struct event_cpu {
	uint16_t machine;   /* ELF's e_machine */
	const char *vendor; /* CPUID leaf 0; used on x86 only */
	uint64_t signature; /* CPUID.01H:EAX; MIDR_EL1 */
	const char *pmu;    /* the user's choice; NULL: chosen by the signature */
};

/* libpfm4's name for the PMU of such a CPU's core, or NULL if libpfm4 does not know it. */
const char *event_pmu_of(const struct event_cpu *cpu);

/* A PMU with the architecture's common events (Arm ARM DDI 0487, D13.12), whose numbers mean the
 * same on every CPU of this machine type; NULL if the architecture has none. */
const char *event_pmu_common(uint16_t machine);

/* Whether config is the number of a common event. */
bool event_is_common(uint16_t machine, uint64_t config);

#endif
