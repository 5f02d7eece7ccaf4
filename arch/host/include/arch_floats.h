/* SPDX-License-Identifier: MIT */
#ifndef ARCH_FLOATS_H
#define ARCH_FLOATS_H

#include <fenv.h>

struct arch_floats {
	fenv_t env;
};

static inline void arch_floats_get(struct arch_floats *floats)
{
	fegetenv(&floats->env);
}

static inline void arch_floats_set(const struct arch_floats *floats)
{
	fesetenv(&floats->env);
}

#endif
