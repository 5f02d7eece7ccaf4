/* SPDX-License-Identifier: MIT */
/* clock_sync_tsan_test.c without a sanitizer. Sanitizers make a round trip so long that a counter
 * which is read before an earlier load stays within the stated error. */
#include "tests/unit/pmu/clock/clock_sync_tsan_test.c"
