/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs whose counts are known.  Each is entered at its own symbol:
 *
 *   spin   N times DEC and JNZ:      2 N + 4 instructions, N branches,
 *                                    N - 1 of them taken, no call
 *   calls  N times CALL, RET, DEC, JNZ: 4 N + 4, 3 N branches
 *   stream N times a load and a store of 8 bytes, DEC, JNZ
 *   ring   N system calls (getppid)
 *   deep   spin, seven calls deep: a callchain of eight
 *
 * N is ITERATIONS.  The 4 are the MOV before and the MOV, XOR, SYSCALL after.
 */
	.text
	.globl	_start
_start:
#if defined(SPIN)
	mov	$ITERATIONS, %ecx
	.globl	spin
spin:	dec	%ecx
	jnz	spin
#elif defined(CALLS)
	mov	$ITERATIONS, %ecx
	.globl	calls
calls:	call	leaf
	dec	%ecx
	jnz	calls
#elif defined(STREAM)
	mov	$ITERATIONS, %ecx
	.globl	stream
stream:	mov	source(%rip), %rax
	mov	%rax, target(%rip)
	dec	%ecx
	jnz	stream
#elif defined(RING)
	mov	$ITERATIONS, %ebx
	.globl	ring
ring:	mov	$110, %eax
	syscall
	dec	%ebx
	jnz	ring
#elif defined(DEEP)
	mov	$ITERATIONS, %ecx
	xor	%ebp, %ebp
	call	deep1
#endif
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.globl	leaf
leaf:	ret
#ifdef DEEP
	.irp	level, 1, 2, 3, 4, 5, 6
deep\level:
	push	%rbp
	mov	%rsp, %rbp
	call	1f
	pop	%rbp
	ret
1:
	.endr
	push	%rbp
	mov	%rsp, %rbp
	.globl	deep
deep:	dec	%ecx
	jnz	deep
	pop	%rbp
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
