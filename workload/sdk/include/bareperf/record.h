/* SPDX-License-Identifier: MIT */
#ifndef BAREPERF_RECORD_H
#define BAREPERF_RECORD_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Resume or pause the recording, or stat's counting: all its events, marks too, on all its CPUs at
 * once. It begins paused with `record -D -1`. Both functions return when every CPU has done it. 0
 * (also if nothing changes); -EOPNOTSUPP: an event fills an AUX area, which cannot be paused;
 * -ETIMEDOUT: a CPU has masked interrupts and will follow when it unmasks them. From a thread, with
 * interrupts unmasked.
 */
int bareperf_record_start(void);
int bareperf_record_stop(void);

#ifdef __cplusplus
}
#endif

#endif
