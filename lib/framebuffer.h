/* SPDX-License-Identifier: MIT */
/*
 * Text on the screen: UEFI's Graphics Output Protocol gives a linear framebuffer, and the
 * firmware's own font its glyphs, so that a PC without a serial port shows what happens.
 */
#ifndef LIB_FRAMEBUFFER_H
#define LIB_FRAMEBUFFER_H

#include <stdbool.h>
#include <stdint.h>

/* Find the framebuffer (32 bits a pixel, linear), fetch the glyphs of printable ASCII, and have the
 * framebuffer mapped. 0; -ENODEV without a usable screen or font, said on the console once.
 * Boot services only. Thread. */
int framebuffer_init(void);

/* Make it a console sink; nothing happens if framebuffer_init() failed. The screen is cleared line
 * by line, as text comes. After arch_take_over(). Thread. */
void framebuffer_start(void);

#endif
