/* SPDX-License-Identifier: MIT */
/*
 * The Arm conformance image: the registers that it accesses, named as in the Arm ARM (DDI 0487),
 * and declarations for its files.
 */
#ifndef MODEL_AARCH64_H
#define MODEL_AARCH64_H

#include "tap.h"

#define PMSCR_EL1         "s3_0_c9_c9_0"
#define PMSCR_EL2         "s3_4_c9_c9_0"
#define PMSNEVFR_EL1      "s3_0_c9_c9_1"
#define PMSICR_EL1        "s3_0_c9_c9_2"
#define PMSIRR_EL1        "s3_0_c9_c9_3"
#define PMSFCR_EL1        "s3_0_c9_c9_4"
#define PMSEVFR_EL1       "s3_0_c9_c9_5"
#define PMSLATFR_EL1      "s3_0_c9_c9_6"
#define PMSIDR_EL1        "s3_0_c9_c9_7"
#define PMBLIMITR_EL1     "s3_0_c9_c10_0"
#define PMBPTR_EL1        "s3_0_c9_c10_1"
#define PMBSR_EL1         "s3_0_c9_c10_3"
#define PMBIDR_EL1        "s3_0_c9_c10_7"
#define PMSCR_SAMPLE_EL0  1 /* E0SPE */
#define PMSCR_SAMPLE      2 /* E1SPE, E2SPE */
#define PMSCR_TS          0x20
#define PMSFCR_FE         1
#define PMSFCR_FT         2
#define PMSFCR_FL         4
#define PMSFCR_FNE        8
#define PMSFCR_B          (1 << 16)
#define PMSFCR_LD         (1 << 17)
#define PMSFCR_ST         (1 << 18)
#define PMSIRR_RND        1
#define PMBIDR_P          16
#define HCR_VM            1
#define HCR_RW            (1ull << 31)
#define SCR_NS            1
#define SCR_RES1          0x30
#define SCR_HCE           0x100
#define SCR_RW            0x400
#define SPSR_EL0T         0x3c0 /* all exceptions masked */
#define SPSR_EL1H         0x3c5
#define SPSR_EL2H         0x3c9
#define MDCR_PB_SHIFT     12 /* MDCR_EL2.E2PB, MDCR_EL3.NSPB */
#define MDCR_PB_MASK      (3ull << 12)
#define MDCR_TPMS         (1ull << 14)
#define EC_UNKNOWN        0
#define EC_SVC            0x15
#define EC_SYSREG         0x18
#define TRIPS             200000
#define PMBLIMITR_E       1
#define PMBLIMITR_DISCARD 4
#define PMBSR_S           (1 << 17)
#define PMBSR_DL          (1 << 19)
#define PMBSR_FULL        1
#define EVENT_EXCEPTION   1
#define EVENT_RETIRED     2
#define RECORD            64
#define PAGES             4
#define PACKET_OTHER      0x48
#define PACKET_EVENTS     0x52 /* 16 bits of events */
#define PACKET_LATENCY    0x98
#define PACKET_PC         0xb0
#define PACKET_TARGET     0xb1
#define PACKET_VA         0xb2
#define PACKET_TIMESTAMP  0x71

#define read_sysreg(name)                                                      \
	({                                                                     \
		uint64_t value_;                                               \
		__asm__ volatile("mrs %0, " name : "=r"(value_) : : "memory"); \
		value_;                                                        \
	})
#define write_sysreg(name, value) \
	__asm__ volatile("msr " name ", %0\n\tisb" : : "r"((uint64_t)(value)) : "memory")

extern uint8_t buffer[(PAGES + 1) * 4096];

/* Code with known instructions, and the last access of a lower EL that trapped (ESR_ELx): aarch64.S
 * */
extern const char profiled_loop[], profiled_end[], vectors[];
extern uint64_t cell[2];
extern uint64_t trapped;
void profiled(uint64_t n);

/* 50 records of 256 operations */
void profile_enough(void);

/* Called at that EL: calls the function at the lower EL of that SPSR with its own stack, and
 * returns. Enters the lower EL by ERET, ERETAA or ERETAB. */
void below_el1(void (*function)(void), uint64_t spsr);
void below_el2(void (*function)(void), uint64_t spsr);
void below_el2_aa(void (*function)(void), uint64_t spsr);
void below_el2_ab(void (*function)(void), uint64_t spsr);
void below_el3(void (*function)(void), uint64_t spsr);

/* Whether the CPU has ERETAA and similar instructions */
bool has_pauth(void);

unsigned current_el(void);

/* Set PMSCR of the current EL (at EL3: of EL1), and of another EL */
void sample(uint64_t control);
void sample_at(unsigned el, uint64_t control);

/* Enable an empty buffer from its first byte on, and one from any address to a limit */
void arm_buffer(uint64_t pages, uint64_t mode);
void arm_buffer_at(uint64_t pointer, uint64_t limit);

/* PSB CSYNC */
void synchronise(void);

/* Profile a loop of n turns; the buffer stays enabled, so that the caller can read it. */
void profile(uint64_t pages, uint64_t mode, uint64_t control, uint64_t n);

/* Synchronise, disable the buffer, and clear the filters. */
void stop(void);

/* Written bytes of the buffer */
uint64_t used(void);

/* The low word of a record's PC: a byte at a time, as memory is Device while the MMU is off, where
 * unaligned accesses fault (QEMU 7.2 does not check that). */
static inline uint32_t record_pc(const uint8_t *record)
{
	return record[1] | (uint32_t)record[2] << 8 | (uint32_t)record[3] << 16 |
	       (uint32_t)record[4] << 24;
}

/* The parts */
void test_ownership(void);
void test_secure_ownership(void);
void test_walks(void);
void test_walks_below(void);
void test_retired(void);
void test_freeze(void);
void enable_interrupts(void);
void test_sleep(void);
void test_synchronised_limit(void);
void test_registers(void);
void test_accesses(void);
void test_return(void);
void test_trapped_returns(void);
void test_calls(void);
void test_inverted_below(void);

#endif
