/* SPDX-License-Identifier: MIT */
/*
 * Decides whether an image's code keeps frame records (System V AMD64 ABI 3.4.1; AAPCS64 6.4.6), so
 * that callers can be found through the frame pointer. No header says so, but the functions' begins
 * show it: code that keeps records sets the frame pointer right after saving it; other code saves
 * it only to use the register for something else.
 *
 *			a record		none
 *	x86_64		push %rbp, and within a few instructions mov %rsp, %rbp
 *						push %rbp among the others that are saved
 *	aarch64		x29 and x30 stored as a pair, then x29 set to where they lie
 *						x30 stored by itself, or with another
 */
#ifndef LIB_PARSE_PE_FRAMES_H
#define LIB_PARSE_PE_FRAMES_H

#include "lib/parse/pe_image.h"

enum pe_frames {
	PE_FRAMES_UNKNOWN, /* too few functions for a decision, or another ISA */
	PE_FRAMES_NONE,
	PE_FRAMES_KEPT,
};

/* Examines at most 8 KiB of the code, in pieces spread over it. Pure; thread, or any handler. */
enum pe_frames pe_frames(const struct pe_image *image);

#endif
