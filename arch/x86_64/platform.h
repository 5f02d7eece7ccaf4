/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_PLATFORM_H
#define ARCH_X86_64_PLATFORM_H

#include "arch/arch.h"

/* The platform that arch_prepare() got. */
extern const struct arch_platform *x86_platform;

#endif
