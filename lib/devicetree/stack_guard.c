/* SPDX-License-Identifier: MIT */
/* Debian's libfdt is compiled with -fstack-protector-strong: what its functions then ask for. */
#include <stdint.h>

#include "lib/panic.h"

extern uintptr_t __stack_chk_guard;    // NOLINT(bugprone-reserved-identifier)
_Noreturn void __stack_chk_fail(void); // NOLINT(bugprone-reserved-identifier)

uintptr_t __stack_chk_guard = 0x2f6a51c3;

void __stack_chk_fail(void)
{
	panic("libfdt has overrun its stack frame");
}
