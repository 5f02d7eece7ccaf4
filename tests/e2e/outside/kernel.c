/* SPDX-License-Identifier: MIT */
#include "tests/e2e/outside/kernel.h"

__attribute__((noinline)) static void light(void)
{
	spin(LIGHT_LOOPS);
}

__attribute__((noinline)) static void heavy(void)
{
	spin(HEAVY_LOOPS);
}

__attribute__((noinline)) static void middle(void)
{
	light();
	heavy();
	light();
}

__attribute__((noinline)) static void outer(void)
{
	middle();
}

static void user_program(void)
{
	spin(USER_LOOPS);
	leave_user();
}

static uint32_t second_done;

void second_is_done(void)
{
	__atomic_store_n(&second_done, 1, __ATOMIC_RELEASE);
}

void kernel_second(void)
{
	spin(SECOND_LOOPS);
	second_is_done();
}

__attribute__((noinline)) static void wait_for_second(void)
{
	while (!__atomic_load_n(&second_done, __ATOMIC_ACQUIRE))
		;
}

void kernel_main(void)
{
	put_text("kernel: begin\n");
	outer();
	enter_user(user_program);
	wait_for_second();
	put_text("kernel: end\n");
	power_off();
}
