# SPDX-License-Identifier: MIT
"""Snippets whose counts are known from their text, as (code, instructions, branches, taken branches
[, init code])."""


def straight(*codes):
    """Snippets of so many instructions as they have statements, and no branch."""
    return [(code, len([part for part in code.split(";") if part.strip()]), 0, 0) for code in codes]


X86 = [
    ("", 0, 0, 0),
    *straight(
        "nop", "|1", "|2", "|3", "|4", "|5", "|6", "|7", "|8", "|9", "|10", "|11", "|12", "|13", "|14",
        "|15", "add rax, rbx", "add rax, rbx; add rbx, rax", "sub rax, 1", "adc rax, rbx", "sbb rcx, rdx",
        "and eax, 15", "or r8, r9", "xor r10d, r10d", "not rax", "neg rbx", "inc rcx", "dec rdx",
        "cmp rax, rbx", "test al, 1", "mov rax, 0x123456789abcdef0", "movzx eax, bl", "movsx rax, bx",
        "movsxd rax, ebx", "xchg rax, rbx", "bswap rax", "lea rax, [rbx + 4*rcx + 8]",
        "imul rax, rbx", "imul rax, rbx, 7", "mul rbx", "shl rax, 3", "sar rbx, 1", "rol rcx, 5", "rcr rdx, 1",
        "shld rax, rbx, 4", "bt rax, 3", "bts rax, 3", "bsf rax, rbx", "popcnt rax, rbx", "setz al",
        "cmovz rax, rbx", "cdq", "cqo", "cwde", "clc", "stc", "cmc", "cld", "lahf", "sahf",
        "mov rax, [r14]", "mov [r14], rax", "add [r14], rax", "lock add [r14], rax", "xchg [r14], rax",
        "cmpxchg [r14], rbx", "lock xadd [r14], rbx", "mov rax, [rdi]", "mov rax, [rsi]", "mov rax, [rbp]",
        "mov rax, [rsp]", "push rax; pop rbx", "pushfq; popfq", "movnti [r14], rax", "prefetcht0 [r14]",
        "clflush [r14]", "lfence", "mfence", "sfence", "pause", "cpuid", "rdtsc", "lodsb", "stosq", "movsb",
        "scasb", "cmpsd", "xlatb", "movups xmm0, [r14]", "movaps [r14], xmm1", "addps xmm0, xmm1",
        "mulsd xmm2, xmm3", "pxor xmm0, xmm0", "paddq xmm0, xmm1", "pshufd xmm0, xmm1, 0x1b",
        "cvtsi2sd xmm0, rax", "fld1; fstp st(0)", "fninit", "emms", "mov rax, cr0", "mov rax, cr3",
        "cli", "str eax", "sidt [r14]", "invlpg [r14]", "wbinvd", "mov rax, dr7", "swapgs; swapgs",
        "nop; nop; nop"),
    ("2*|add rax, rbx; nop|", 4, 0, 0),
    ("3*|nop|", 3, 0, 0),
    ("10*|inc rax|", 10, 0, 0),
    ("xor edx, edx; div rbx", 2, 0, 0, "mov eax, 100; mov ebx, 7"),
    ("rdmsr", 1, 0, 0, "mov ecx, 0x1b"),
    ("jmp 1f; 1:", 1, 1, 1),
    ("jmp 1f; nop; 1: nop", 2, 1, 1),
    ("xor eax, eax; jz 1f; nop; 1:", 2, 1, 1),
    ("xor eax, eax; jnz 1f; nop; 1:", 3, 1, 0),
    ("stc; jc 1f; nop; 1: nop", 3, 1, 1),
    ("clc; jc 1f; 1: nop", 3, 1, 0),
    ("call 1f; jmp 2f; 1: ret; 2:", 3, 3, 3),
    ("lea rax, [rip + 1f]; jmp rax; nop; 1:", 2, 1, 1),
    ("lea rax, [rip + 1f]; push rax; ret; nop; 1:", 3, 1, 1),
    ("mov ecx, 5; 1: dec ecx; jnz 1b", 11, 5, 4),
    ("mov ecx, 3; 1: loop 1b", 4, 3, 2),
    ("mov ecx, 0; jrcxz 1f; nop; 1: nop", 3, 1, 1),
    ("mov eax, 4; 1: sub eax, 1; mov rbx, [r14]; jnz 1b; nop", 14, 4, 3),
]

ARM = [
    ("", 0, 0, 0),
    *straight(
        "nop", "|4", "add x0, x1, x2", "add x0, x1, x2; add x1, x0, x2", "sub x0, x0, #1", "adds x0, x1, x2",
        "subs x3, x4, x5", "adc x0, x1, x2", "sbc x0, x1, x2", "neg x0, x1", "and x0, x1, #15", "orr x0, x1, x2",
        "eor x0, x1, x2", "bic x0, x1, x2", "orn x0, x1, x2", "mvn x0, x1", "tst x0, #1", "cmp x0, x1",
        "cmn x0, x1", "mov x0, #1", "movk x0, #2, lsl #16", "movn x0, #3", "mov x0, sp", "adr x0, .",
        "lsl x0, x1, #3", "lsr x0, x1, x2", "asr x0, x1, #1", "ror x0, x1, #5",
        "extr x0, x1, x2, #8", "ubfx x0, x1, #4, #8", "sbfx x0, x1, #4, #8", "bfi x0, x1, #4, #8", "sxtw x0, w1",
        "uxtb w0, w1", "clz x0, x1", "cls x0, x1", "rbit x0, x1", "rev x0, x1", "rev16 x0, x1", "mul x0, x1, x2",
        "madd x0, x1, x2, x3", "msub x0, x1, x2, x3", "smull x0, w1, w2", "umulh x0, x1, x2", "udiv x0, x1, x2",
        "sdiv x0, x1, x2", "csel x0, x1, x2, eq", "csinc x0, x1, x2, ne", "cset x0, eq", "ccmp x0, x1, #0, eq",
        "ldr x0, [x28]", "ldr w0, [x28]", "ldrb w0, [x28]", "ldrh w0, [x28]", "ldrsw x0, [x28]",
        "ldr x0, [x28], #8", "ldr x0, [x28, #8]!", "ldp x0, x1, [x28]", "ldur x0, [x28, #-8]", "ldar x0, [x28]",
        "ldxr x0, [x28]", "ldaxr x0, [x28]; clrex", "str x0, [x28]", "strb w0, [x28]", "strh w0, [x28]",
        "stp x0, x1, [x28]", "stlr x0, [x28]", "str x0, [sp, #-16]!; ldr x1, [sp], #16", "ldr x0, [x26]",
        "ldr x0, [x27]", "ldr x0, [x25]", "ldr x0, [sp]", "prfm pldl1keep, [x28]", "dc cvac, x28", "dc civac, x28",
        "ic ivau, x28", "dmb ish", "dsb sy", "isb", "yield", "hint #20", "mrs x0, cntvct_el0", "mrs x0, midr_el1",
        "mrs x0, nzcv", "msr nzcv, x0", "mrs x0, fpcr", "msr daifset, #2", "mrs x0, ctr_el0",
        "fmov d0, x0", "fmov x0, d0", "fadd d0, d1, d2", "fmul d0, d1, d2", "fmadd d0, d1, d2, d3", "fcvtzs x0, d0",
        "scvtf d0, x0", "fsqrt d0, d1", "ldr q0, [x28]", "str q0, [x28]", "add v0.2d, v1.2d, v2.2d",
        "fadd v0.4s, v1.4s, v2.4s", "movi v0.2d, #0", "dup v0.4s, w0", "ld1 {v0.16b}, [x28]",
        "crc32x w0, w1, x2", "sha1h s0, s1", "aese v0.16b, v1.16b"),
    ("3*|nop|", 3, 0, 0),
    ("2*|add x0, x0, x1; nop|", 4, 0, 0),
    ("b 1f; 1:", 1, 1, 1),
    ("b 1f; nop; 1: nop", 2, 1, 1),
    ("cbz xzr, 1f; nop; 1:", 1, 1, 1),
    ("cbnz xzr, 1f; nop; 1:", 2, 1, 0),
    ("mov x0, #1; tbz x0, #0, 1f; nop; 1:", 3, 1, 0),
    ("mov x0, #1; tbnz x0, #0, 1f; nop; 1:", 2, 1, 1),
    ("cmp xzr, xzr; b.eq 1f; nop; 1:", 2, 1, 1),
    ("cmp xzr, xzr; b.ne 1f; nop; 1:", 3, 1, 0),
    ("bl 1f; b 2f; 1: ret; 2:", 3, 3, 3),
    ("adr x0, 1f; br x0; nop; 1:", 2, 1, 1),
    ("adr x0, 1f; blr x0; nop; 1:", 2, 1, 1),
    ("mov x0, #5; 1: sub x0, x0, #1; cbnz x0, 1b", 11, 5, 4),
    ("mov x0, #3; 1: subs x0, x0, #1; b.ne 1b; nop", 8, 3, 2),
]
