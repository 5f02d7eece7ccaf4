/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same for AArch64; see loops.x86_64.S. The instructions around a loop: two MOVs (MOVZ, MOVK)
 * before, MOV, MOV, SVC after; STREAM also has ADRPs and ADDs.
 */
	.text
	.globl	_start
_start:
	movz	w9, #(ITERATIONS & 0xffff)
	movk	w9, #(ITERATIONS >> 16), lsl #16
#if defined(SPIN)
	.globl	spin
spin:	subs	w9, w9, #1
	b.ne	spin
#elif defined(CALLS)
	.globl	calls
calls:	bl	leaf
	subs	w9, w9, #1
	b.ne	calls
#elif defined(STREAM)
	adrp	x1, source
	add	x1, x1, :lo12:source
	adrp	x2, target
	add	x2, x2, :lo12:target
	.globl	stream
stream:	ldr	x0, [x1]
	str	x0, [x2]
	nop				/* five per turn: no divisor of SPE's interval */
	subs	w9, w9, #1
	b.ne	stream
#elif defined(RING)
	.globl	ring
ring:	mov	x8, #173
	svc	#0
	subs	w9, w9, #1
	b.ne	ring
#elif defined(DEEP)
	mov	x29, #0
	bl	deep1
#endif
	mov	x8, #93
	mov	x0, #0
	svc	#0
	.globl	leaf
leaf:	ret
#ifdef DEEP
	.irp	level, 1, 2, 3, 4, 5, 6
deep\level:
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	bl	1f
	ldp	x29, x30, [sp], #16
	ret
1:
	.endr
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	.globl	deep
deep:	subs	w9, w9, #1
	b.ne	deep
	ldp	x29, x30, [sp], #16
	ret
#endif

	.data
	.balign	4096
	.globl	source
source:	.quad	1
	.balign	4096
	.globl	target
target:	.quad	2
	.section .note.GNU-stack,"",@progbits
