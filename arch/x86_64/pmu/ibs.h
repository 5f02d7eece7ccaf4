/* SPDX-License-Identifier: MIT */
/*
 * AMD's instruction-based sampling: APM (24593) volume 2, 13.3; CPUID of volume 3, appendix E; the
 * fields of PPRs of families 17H to 1AH. Constants only; they compile anywhere.
 */
#ifndef ARCH_X86_64_PMU_IBS_H
#define ARCH_X86_64_PMU_IBS_H

#define CPUID_EXTENDED_IBS     (1U << 10) /* ECX of CPUID_EXTENDED_FEATURES */
#define CPUID_IBS              0x8000001bU
#define CPUID_IBS_VALID        (1U << 0) /* EAX: the other bits have a meaning */
#define CPUID_IBS_FETCH        (1U << 1)
#define CPUID_IBS_OP           (1U << 2)
#define CPUID_IBS_RDWR_OP_CNT  (1U << 3) /* software may write IbsOpCurCnt */
#define CPUID_IBS_OP_CNT       (1U << 4) /* IbsOpCntCtl: ops instead of cycles */
#define CPUID_IBS_TARGET       (1U << 5) /* BP_IBSTGT_RIP */
#define CPUID_IBS_OP_CNT_EXT   (1U << 6) /* IbsOpMaxCnt has 7 more bits */
#define CPUID_IBS_RIP_INVALID  (1U << 7)
#define CPUID_IBS_FETCH_EXTD   (1U << 9)  /* IC_IBS_EXTD_CTL */
#define CPUID_IBS_OP_DATA4     (1U << 10) /* IBS_OP_DATA4 */
#define CPUID_IBS_L3_MISS_ONLY (1U << 11) /* and data sources of 5 bits */
#define CPUID_IBS_LOAD_LATENCY (1U << 12)

#define IBS_FETCH_CTL      0xc0011030U
#define IBS_FETCH_LINADDR  0xc0011031U
#define IBS_FETCH_PHYSADDR 0xc0011032U
#define IBS_OP_CTL         0xc0011033U
#define IBS_OP_RIP         0xc0011034U
#define IBS_OP_DATA        0xc0011035U
#define IBS_OP_DATA2       0xc0011036U
#define IBS_OP_DATA3       0xc0011037U
#define IBS_DC_LINADDR     0xc0011038U
#define IBS_CTL            0xc001103aU /* bits 3:0: the extended LVT entry */
#define IBS_CTL_VALID      (1ULL << 8)
#define BP_IBSTGT_RIP      0xc001103bU
#define IC_IBS_EXTD_CTL    0xc001103cU
#define IBS_OP_DATA4       0xc001103dU

#define IBS_FETCH_CNT      16 /* 16 bits: the counter's bits 19:4 */
#define IBS_FETCH_EN       (1ULL << 48)
#define IBS_FETCH_VAL      (1ULL << 49)
#define IBS_FETCH_RAND_EN  57
#define IBS_FETCH_L3_MISS  59
#define IBS_FETCH_FARTHEST 0xffff0ULL

#define IBS_OP_L3_MISS      16
#define IBS_OP_EN           (1ULL << 17)
#define IBS_OP_VAL          (1ULL << 18)
#define IBS_OP_CNT_CTL      19
#define IBS_OP_CUR_CNT      32 /* 27 bits */
#define IBS_OP_CUR_CNT_BITS 0x7ffffffULL
#define IBS_OP_RANDOM       0x7fULL /* of CUR_CNT, from the CPU */
#define IBS_OP_LATENCY      59      /* 4 bits: (n + 1) * 128 cycles */
#define IBS_OP_LATENCY_EN   (1ULL << 63)
#define IBS_OP_FARTHEST     0xffff0ULL
#define IBS_OP_FARTHEST_EXT 0x7fffff0ULL

#define IBS_OP_DATA_TAG_TO_RET  16 /* 16 bits */
#define IBS_OP_DATA_RIP_INVALID (1ULL << 38)

#define IBS_OP_DATA2_SOURCE       7U /* and bits 7:6 as its bits 4:3 */
#define IBS_OP_DATA2_REMOTE       (1U << 4)
#define IBS_OP_DATA2_CACHE_HIT_ST (1U << 5) /* the line was not modified */

#define IBS_OP_DATA3_LOAD         (1U << 0)
#define IBS_OP_DATA3_STORE        (1U << 1)
#define IBS_OP_DATA3_L1_TLB_MISS  (1U << 2)
#define IBS_OP_DATA3_L2_TLB_MISS  (1U << 3)
#define IBS_OP_DATA3_DC_MISS      (1U << 7)
#define IBS_OP_DATA3_UNCACHED     (1U << 14)
#define IBS_OP_DATA3_LOCKED       (1U << 15)
#define IBS_OP_DATA3_NO_MAB       (1U << 16) /* the miss was under way already */
#define IBS_OP_DATA3_LINEAR_VALID (1U << 17)
#define IBS_OP_DATA3_L2_MISS      (1U << 20)
#define IBS_OP_DATA3_LATENCY      32 /* 16 bits */

/* The extended local vector table of the local APIC, as registers for drivers. */
#define APIC_EXTENDED_LVTS   0x4fffd000U
#define APIC_EXTENDED_LVT(n) (APIC_EXTENDED_LVTS | ((n)&0xf))
#define APIC_EXTENDED_FIRST  0x500U /* its offset in the APIC */
#define APIC_EXTENDED_NMI    (4U << 8)
#define APIC_EXTENDED_MASKED (1U << 16)

#endif
