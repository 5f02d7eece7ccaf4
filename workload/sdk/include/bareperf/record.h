/* SPDX-License-Identifier: MIT */
#ifndef BAREPERF_RECORD_H
#define BAREPERF_RECORD_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Have the recording, or what stat counts, go on, or pause: all its events, marks too, on all its
 * CPUs at once; it begins paused with `record -D -1`. Both return when every CPU has heard. 0 (also
 * where nothing changes); -EOPNOTSUPP: an event fills an AUX area, which is not stopped and
 * started; -ETIMEDOUT: a CPU masks interrupts so that it cannot hear, and will when it lets them
 * in. From a thread, with interrupts let in.
 */
int bareperf_record_start(void);
int bareperf_record_stop(void);

#ifdef __cplusplus
}
#endif

#endif
