/* SPDX-License-Identifier: MIT */
/* Which vector registers are enabled, by CPUID leaf 0DH of CPUs of several generations (SDM volume
 * 1, 13.2 and 13.3, which number the components). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/x86_64/saved.h"

#define X87      0x1U
#define SSE      0x2U
#define AVX      0x4U
#define MPX      0x18U /* bounds: registers and configuration */
#define OPMASK   0x20U
#define ZMM_HIGH 0x40U /* the upper halves of ZMM0 to ZMM15 */
#define ZMM_MORE 0x80U /* ZMM16 to ZMM31 */
#define AVX512   (OPMASK | ZMM_HIGH | ZMM_MORE)
#define PKRU     0x200U
#define AMX      0x60000U /* TILECFG, TILEDATA */

static uint64_t on(uint32_t components, uint64_t before)
{
	return x86_vectors_xcr0((struct cpuid){ .eax = components }, before);
}

static void the_cpus_features_are_on(void **state)
{
	(void)state;
	assert_int_equal(on(X87 | SSE, X87), X87 | SSE);
	assert_int_equal(on(X87 | SSE | AVX, X87), X87 | SSE | AVX);
	assert_int_equal(on(X87 | SSE | AVX | AVX512, X87), X87 | SSE | AVX | AVX512);
}

static void features_that_are_no_vector_registers_stay_off(void **state)
{
	(void)state;
	assert_int_equal(on(X87 | SSE | AVX | MPX, X87), X87 | SSE | AVX);
	assert_int_equal(on(X87 | SSE | AVX | AVX512 | PKRU | AMX, X87), X87 | SSE | AVX | AVX512);
}

static void features_that_the_firmware_enabled_stay_on(void **state)
{
	(void)state;
	assert_int_equal(on(X87 | SSE | AVX | AVX512 | PKRU | AMX, X87 | PKRU | AMX),
	                 X87 | SSE | AVX | AVX512 | PKRU | AMX);
	assert_int_equal(on(X87 | SSE | AVX, X87 | SSE | AVX), X87 | SSE | AVX);
}

/* As a hypervisor may report: XSETBV of only a part is a general protection fault. */
static void a_part_of_avx_512_is_none(void **state)
{
	(void)state;
	for (uint32_t parts = 1; parts < 7; parts++)
		assert_int_equal(on(X87 | SSE | AVX | parts * OPMASK, X87), X87 | SSE | AVX);
	assert_int_equal(on(X87 | SSE | AVX512, X87), X87 | SSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cpus_features_are_on),
		cmocka_unit_test(features_that_are_no_vector_registers_stay_off),
		cmocka_unit_test(features_that_the_firmware_enabled_stay_on),
		cmocka_unit_test(a_part_of_avx_512_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
