/* SPDX-License-Identifier: MIT */
/* Registers that are used, named and numbered as in Intel's SDM (volume 3A unless noted, volume 4
 * for MSRs). Constants only. */
#ifndef ARCH_X86_64_REGISTERS_H
#define ARCH_X86_64_REGISTERS_H

/* Control registers, 2.5 */
#define CR0_EM         (1ULL << 2)
#define CR0_TS         (1ULL << 3)
#define CR0_WP         (1ULL << 16)
#define CR4_PCE        (1ULL << 8)
#define CR4_OSFXSR     (1ULL << 9)
#define CR4_OSXMMEXCPT (1ULL << 10)
#define CR4_LA57       (1ULL << 12)
#define CR4_PCIDE      (1ULL << 17)
#define CR4_OSXSAVE    (1ULL << 18)
#define CR4_SMEP       (1ULL << 20)
#define CR4_SMAP       (1ULL << 21)
#define CR4_CET        (1ULL << 23)

/* XCR0, volume 1, 13.3: x87, SSE, AVX; AVX-512's opmask, upper halves of ZMM0 to ZMM15, and ZMM16
 * to ZMM31, which must be set together */
#define XCR0_SSE    (3ULL << 0)
#define XCR0_AVX    (1ULL << 2)
#define XCR0_AVX512 (7ULL << 5)

/* MSRs */
#define IA32_APIC_BASE      0x01b
#define IA32_APIC_BASE_EXTD (1ULL << 10)
#define IA32_APIC_BASE_EN   (1ULL << 11)
#define IA32_APIC_BASE_ADDR 0x000ffffffffff000ULL
#define IA32_PAT            0x277
#define IA32_TSC_DEADLINE   0x6e0
#define IA32_X2APIC_FIRST   0x800 /* register at MMIO offset X is MSR 800H + X / 10H */
#define IA32_EFER           0xc0000080
#define IA32_EFER_NXE       (1ULL << 11)
#define IA32_FS_BASE        0xc0000100
#define IA32_GS_BASE        0xc0000101
#define IA32_KERNEL_GS_BASE 0xc0000102

/* Page table entries, 4.5.5 */
#define PTE_P       (1ULL << 0)
#define PTE_RW      (1ULL << 1)
#define PTE_US      (1ULL << 2)
#define PTE_PWT     (1ULL << 3)
#define PTE_PCD     (1ULL << 4)
#define PTE_PS      (1ULL << 7)
#define PTE_XD      (1ULL << 63)
#define PTE_ADDRESS 0x000ffffffffff000ULL

/* Local APIC, 11.4.1: offsets in xAPIC's page */
#define APIC_ID               0x020
#define APIC_VERSION          0x030
#define APIC_TPR              0x080
#define APIC_EOI              0x0b0
#define APIC_SVR              0x0f0
#define APIC_SVR_ENABLE       (1U << 8)
#define APIC_ISR              0x100 /* eight words, 10H apart */
#define APIC_TMR              0x180 /* as ISR: 1 is level-triggered */
#define APIC_LVT_CMCI         0x2f0
#define APIC_ICR              0x300
#define APIC_ICR_NMI          (4U << 8) /* delivery modes; 11.6.1 */
#define APIC_ICR_INIT         (5U << 8)
#define APIC_ICR_STARTUP      (6U << 8)
#define APIC_ICR_PENDING      (1U << 12)
#define APIC_ICR_ASSERT       (1U << 14)
#define APIC_ICR_HIGH         0x310
#define APIC_LVT_TIMER        0x320
#define APIC_LVT_THERMAL      0x330
#define APIC_LVT_PMI          0x340
#define APIC_LVT_LINT0        0x350
#define APIC_LVT_LINT1        0x360
#define APIC_LVT_ERROR        0x370
#define APIC_TIMER_INITIAL    0x380
#define APIC_TIMER_CURRENT    0x390
#define APIC_TIMER_DIVIDE     0x3e0
#define APIC_DIVIDE_BY_1      0x0b
#define APIC_LVT_MASKED       (1U << 16)
#define APIC_LVT_TIMER_MODE   (3U << 17)
#define APIC_LVT_ONE_SHOT     (0U << 17)
#define APIC_LVT_TSC_DEADLINE (2U << 17)
#define APIC_LVT_NMI          (4U << 8)

/* RFLAGS, volume 1, 3.4.3 */
#define RFLAGS_FIXED (1ULL << 1) /* always 1 */
#define RFLAGS_TF    (1ULL << 8)
#define RFLAGS_IF    (1ULL << 9)

/* Exceptions, 6.15 */
#define VECTOR_DB       1
#define VECTOR_NMI      2
#define VECTOR_DF       8
#define VECTOR_GP       13
#define VECTOR_PF       14
#define VECTOR_MC       18
#define FIRST_INTERRUPT 32

#endif
