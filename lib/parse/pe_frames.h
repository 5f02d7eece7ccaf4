/* SPDX-License-Identifier: MIT */
/*
 * Whether an image's code keeps frame records (System V AMD64 ABI 3.4.1; AAPCS64 6.4.6), so that
 * its callers can be followed by the frame pointer. No header says so; how its functions begin
 * does: where records are kept, who saves the frame pointer sets it at once; where they are not, it
 * is saved to be used for something else.
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
	PE_FRAMES_UNTOLD, /* too few functions to tell, or of another machine */
	PE_FRAMES_NONE,
	PE_FRAMES_KEPT,
};

/* Of its code 8 KiB at the most are looked at, in pieces from everywhere. Pure; thread, or any
 * handler. */
enum pe_frames pe_frames(const struct pe_image *image);

#endif
