/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/registers.h"
#include "arch/x86_64/saved.h"

uint64_t x86_vectors_xcr0(struct cpuid state, uint64_t before)
{
	uint64_t on = before | (state.eax & XCR0_SSE);

	if (!(state.eax & XCR0_AVX))
		return on;
	on |= XCR0_AVX;
	/* AVX-512's three components must be set together, and need AVX: XSETBV refuses other
	 * values, volume 1, 13.3 */
	if ((state.eax & XCR0_AVX512) == XCR0_AVX512)
		on |= XCR0_AVX512;
	return on;
}
