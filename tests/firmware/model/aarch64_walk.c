/* SPDX-License-Identifier: MIT */
/*
 * Faults of the profiling buffer: its owner's page tables have holes, and PMBSR_EL1 reports the
 * failed walk (Arm ARM, "Faults and watchpoints"; PMBSR_EL1.MSS of a buffer fault has the fault
 * status codes of ESR_ELx.DFSC). Both stages have pages of 4 KiB and 32 bits of address, so a walk
 * begins with one table of four entries, level 1.
 */
#include "aarch64.h"

#define PMBSR_EC_STAGE1 (0x24ull << 26)
#define PMBSR_EC_STAGE2 (0x25ull << 26)
#define FSC_TRANSLATION 4 /* plus the level; the next codes likewise */
#define FSC_ACCESS_FLAG 8
#define FSC_PERMISSION  12
#define SCTLR_M         1
#define SCTLR_EL1_RES1  0x30d00800ull
#define SCTLR_EL2_RES1  0x30c50830ull
#define TCR_T0SZ        32
#define TCR_EL1_EPD1    (1ull << 23)
#define TCR_EL2_RES1    0x80800000ull
#define VTCR_SL0_1      (1ull << 6)
#define VTCR_RES1       (1ull << 31)
#define DESC_BLOCK      1ull
#define DESC_TABLE      3ull
#define DESC_PAGE       3ull
#define DESC_AF         (1ull << 10)
#define GIB             (1ull << 30)
#define MIB2            (1ull << 21)
/* Attribute 0 is Device, 1 is Normal; stage 2 has its attribute in the descriptor. */
#define MAIR            0xff00ull

/* Differences between the regimes' descriptors: for devices, memory, read-only memory */
struct regime {
	const char *name;
	uint64_t device, normal, read_only, class;
};

static const struct regime el1 = { "EL1's tables: ", 0, 1 << 2, 1 << 7 | 1 << 2, PMBSR_EC_STAGE1 };
static const struct regime el2 = { "EL2's tables: ", 1 << 6, 1 << 6 | 1 << 2, 3 << 6 | 1 << 2,
	                           PMBSR_EC_STAGE1 };
static const struct regime stage2 = { "stage 2: ", 3 << 6 | 1 << 2, 3 << 6 | 15 << 2,
	                              1 << 6 | 15 << 2, PMBSR_EC_STAGE2 };

/* Begin of the third GiB: a window on the buffer, and holes in tables of each level */
#define WINDOW  (2 * GIB)
#define HOLE3   (WINDOW + 4096)
#define NO_FLAG (WINDOW + 2 * 4096)
#define READS   (WINDOW + 3 * 4096)
#define HOLE2   (WINDOW + MIB2)
#define HOLE1   (3 * GIB)
#define HOLE0   (1ull << 33) /* an address beyond T0SZ */

static uint64_t level1[512] __attribute__((aligned(4096)));
static uint64_t level2[512] __attribute__((aligned(4096)));
static uint64_t level3[512] __attribute__((aligned(4096)));

/* Identity mappings of devices and memory, and the window */
static void make_tables(const struct regime *r)
{
	uint64_t second = (uint64_t)buffer + 4096;

	level1[0] = DESC_BLOCK | DESC_AF | r->device;
	level1[1] = GIB | DESC_BLOCK | DESC_AF | r->normal;
	level1[2] = (uint64_t)level2 | DESC_TABLE;
	level2[0] = (uint64_t)level3 | DESC_TABLE;
	level3[0] = (uint64_t)buffer | DESC_PAGE | DESC_AF | r->normal;
	level3[2] = second | DESC_PAGE | r->normal;
	level3[3] = second | DESC_PAGE | DESC_AF | r->read_only;
	__asm__ volatile("dsb sy" : : : "memory");
}

static void flush(void)
{
	if (current_el() == 2)
		__asm__ volatile("tlbi alle1\n\ttlbi alle2" : : : "memory");
	else
		__asm__ volatile("tlbi vmalle1" : : : "memory");
	__asm__ volatile("dsb sy\n\tisb" : : : "memory");
}

static void profile_here(void)
{
	sample(PMSCR_SAMPLE);
	profile_enough();
	sample(0);
}

static void profile_at_el1(void)
{
	write_sysreg(PMSCR_EL1, PMSCR_SAMPLE);
	below_el2(profile_enough, SPSR_EL1H);
	write_sysreg(PMSCR_EL1, 0);
}

/* PMBSR_EL1 after 50 records written to that address */
static uint64_t status_at(uint64_t pointer, void (*run)(void))
{
	uint64_t status;

	arm_buffer_at(pointer, (pointer & ~0xfffull) + 2 * 4096);
	run();
	synchronise();
	status = read_sysreg(PMBSR_EL1);
	write_sysreg(PMBLIMITR_EL1, 0);
	return status;
}

/* A claim's name; valid until the next call */
static const char *named(const struct regime *r, const char *what)
{
	static char text[120];
	char *p = text;

	for (const char *s = r->name; *s;)
		*p++ = *s++;
	while (*what && p < text + sizeof(text) - 1)
		*p++ = *what++;
	*p = 0;
	return text;
}

static const struct {
	const char *what;
	uint64_t pointer, code;
} faults[] = {
	{ "a hole in level 3 is a translation fault of that level", HOLE3, FSC_TRANSLATION + 3 },
	{ "... in level 2", HOLE2, FSC_TRANSLATION + 2 },
	{ "... in level 1", HOLE1, FSC_TRANSLATION + 1 },
	{ "... beyond the tables: of level 0", HOLE0, FSC_TRANSLATION },
	{ "a page that is only read is a permission fault", READS, FSC_PERMISSION + 3 },
	{ "a page without its access flag is an access flag fault", NO_FLAG, FSC_ACCESS_FLAG + 3 },
};

/* The regime and the buffer are enabled. */
static void test_faults(const struct regime *r, void (*run)(void))
{
	unsigned moved = 0;

	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		tap_equal(status_at(faults[i].pointer, run),
		          PMBSR_S | PMBSR_DL | r->class | faults[i].code, named(r, faults[i].what));
		moved += read_sysreg(PMBPTR_EL1) != faults[i].pointer;
	}
	tap_equal(moved, 0, named(r, "... and PMBPTR_EL1 stays where each was"));
	buffer[4096 - RECORD] = buffer[4096 - 1] = buffer[4096] = 0xff;
	tap_equal(status_at(HOLE3 - 8 * RECORD, run),
	          PMBSR_S | PMBSR_DL | r->class | (FSC_TRANSLATION + 3),
	          named(r, "a buffer that runs into a hole faults there"));
	tap_equal(read_sysreg(PMBPTR_EL1), HOLE3, named(r, "... PMBPTR_EL1 is the hole"));
	tap_claim(buffer[4096 - RECORD] == PACKET_PC && buffer[4096 - 1] != 0xff &&
	              buffer[4096] == 0xff,
	          named(r, "... and what came before it is written"));
	write_sysreg(PMBSR_EL1, 0);
}

static void test_at_el1(void)
{
	make_tables(&el1);
	write_sysreg("mair_el1", MAIR);
	write_sysreg("tcr_el1", TCR_T0SZ | TCR_EL1_EPD1);
	write_sysreg("ttbr0_el1", level1);
	flush();
	write_sysreg("sctlr_el1", SCTLR_EL1_RES1 | SCTLR_M);
	test_faults(&el1, profile_here);
	write_sysreg("sctlr_el1", SCTLR_EL1_RES1);
}

static void test_at_el2(void)
{
	make_tables(&el2);
	write_sysreg("mair_el2", MAIR);
	write_sysreg("tcr_el2", TCR_T0SZ | TCR_EL2_RES1);
	write_sysreg("ttbr0_el2", level1);
	flush();
	write_sysreg("sctlr_el2", SCTLR_EL2_RES1 | SCTLR_M);
	test_faults(&el2, profile_here);
	write_sysreg("sctlr_el2", SCTLR_EL2_RES1);
}

void test_walks(void)
{
	if (current_el() == 2)
		test_at_el2();
	else
		test_at_el1();
}

/* EL1 owns the buffer and its MMU is off, so only stage 2 translates. */
void test_walks_below(void)
{
	make_tables(&stage2);
	write_sysreg("mdcr_el2", read_sysreg("mdcr_el2") | MDCR_PB_MASK);
	write_sysreg("vtcr_el2", TCR_T0SZ | VTCR_SL0_1 | VTCR_RES1);
	write_sysreg("vttbr_el2", level1);
	flush();
	write_sysreg("hcr_el2", HCR_RW | HCR_VM);
	test_faults(&stage2, profile_at_el1);
	write_sysreg("hcr_el2", HCR_RW);
	write_sysreg("mdcr_el2", read_sysreg("mdcr_el2") & ~MDCR_PB_MASK);
}
