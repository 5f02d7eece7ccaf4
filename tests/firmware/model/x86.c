/* SPDX-License-Identifier: MIT */
/*
 * Features of the Intel PMU, the debug store and the last branch records that Linux never uses,
 * tested on the hardware model: reserved bits, read-only registers, freezing, circular traces, save
 * areas that are not mapped. Expectations are the Intel SDM's. The image runs without any other
 * program, in 32-bit protected mode with pages of 4 MiB.
 */
#include "x86.h"

#define DB_VECTOR  1
#define NMI_VECTOR 2
#define OF_VECTOR  4
#define UD_VECTOR  6
#define GP_VECTOR  13
#define EXCEPTIONS 32
#define LAPIC_SVR  (*(volatile uint32_t *)0xfee000f0)
#define CR0_WP_PG  0x80010000u
#define CR4_PSE    0x10u
#define PAGE_4M    0x87u /* present, writable, user, large */
#define PAGE_SHIFT 22
#define GATE       0x8e00 /* present, 32-bit interrupt gate */
#define GATE_USER  0xee00

struct gate {
	uint16_t low, selector, type, high;
};

struct table_register {
	uint16_t limit;
	uint32_t base;
} __attribute__((packed));

unsigned version, counters, fixed_counters, last_branches;
bool full_width, pebs;
volatile uint32_t gp_taken, pmis, nmis, pmi_lvt;
volatile uint64_t pmi_status, pmi_counter, db_debugctl;
volatile uint32_t db_eip, dbs;
uint32_t task[26]; /* SDM volume 3A, figure "32-Bit Task-State Segment" */
static struct gate idt[256] __attribute__((aligned(16)));
static uint32_t page_directory[1024] __attribute__((aligned(4096)));
static uint64_t gdt[] = {
	0,
	0x00cf9a000000ffff, /* KERNEL_CS */
	0x00cf92000000ffff, /* KERNEL_DS */
	0x00cffa000000ffff, /* USER_CS */
	0x00cff2000000ffff, /* USER_DS */
	0x0000890000000067, /* TASK; its base is filled in at run time */
};

extern const char gp_entry[], ud_entry[], nmi_entry[], pmi_entry[], fault_entry[], return_entry[];
extern const char db_entry[], empty_entry[];
void load_segments(const struct table_register *gdtr);
void image_main(void);
_Noreturn void image_fault(void);
void pmi_handler(void);
void db_handler(void);

void image_putc(char c)
{
	while (!(inb(0x3fd) & 0x20))
		;
	outb(0x3f8, (uint8_t)c);
}

/* isa-debug-exit: QEMU's status is 2 n + 1 */
void image_exit(bool good)
{
	outb(0xf4, good ? 0x10 : 0x11);
	for (;;)
		__asm__ volatile("hlt");
}

void image_fault(void)
{
	tap_puts("Bail out! an exception that nobody expects\n");
	image_exit(false);
}

bool wrmsr_faults(uint32_t msr, uint64_t value)
{
	gp_taken = 0;
	__asm__ volatile("movl $1f, %%edi\n\twrmsr\n1:" : : "c"(msr), "A"(value) : "edi", "memory");
	return gp_taken;
}

bool rdmsr_faults(uint32_t msr)
{
	gp_taken = 0;
	__asm__ volatile("movl $1f, %%edi\n\trdmsr\n1:"
	                 :
	                 : "c"(msr)
	                 : "edi", "eax", "edx", "memory");
	return gp_taken;
}

bool rdpmc_faults(uint32_t index)
{
	gp_taken = 0;
	__asm__ volatile("movl $1f, %%edi\n\trdpmc\n1:"
	                 :
	                 : "c"(index)
	                 : "edi", "eax", "edx", "memory");
	return gp_taken;
}

uint64_t cr4(void)
{
	uint32_t value;

	__asm__ volatile("movl %%cr4, %0" : "=r"(value));
	return value;
}

void set_cr4(uint64_t value)
{
	__asm__ volatile("movl %0, %%cr4" : : "r"((uint32_t)value) : "memory");
}

static void set_gate(unsigned vector, const char *entry, uint16_t type)
{
	uint32_t address = (uint32_t)entry;

	idt[vector] =
	    (struct gate){ (uint16_t)address, KERNEL_CS, type, (uint16_t)(address >> 16) };
}

static void set_up_segments(void)
{
	struct table_register gdtr = { sizeof(gdt) - 1, (uint32_t)gdt };
	struct table_register idtr = { sizeof(idt) - 1, (uint32_t)idt };
	uint64_t base = (uint32_t)task;

	gdt[TASK / 8] |= (base & 0xffffff) << 16 | (base >> 24) << 56;
	task[2] = KERNEL_DS; /* ss0 */
	load_segments(&gdtr);
	for (unsigned i = 0; i < EXCEPTIONS; i++)
		set_gate(i, fault_entry, GATE);
	set_gate(DB_VECTOR, db_entry, GATE);
	set_gate(NMI_VECTOR, nmi_entry, GATE);
	set_gate(OF_VECTOR, empty_entry, GATE);
	set_gate(UD_VECTOR, ud_entry, GATE);
	set_gate(GP_VECTOR, gp_entry, GATE);
	set_gate(PMI_VECTOR, pmi_entry, GATE);
	set_gate(RETURN_VECTOR, return_entry, GATE_USER);
	set_gate(EMPTY_VECTOR, empty_entry, GATE);
	__asm__ volatile("lidt %0" : : "m"(idtr));
}

static void set_up_pages(void)
{
	uint32_t cr0;

	for (uint32_t i = 0; i < 1024; i++)
		page_directory[i] = i << PAGE_SHIFT | PAGE_4M;
	page_directory[HOLE >> PAGE_SHIFT] = 0;
	page_directory[READ_ONLY >> PAGE_SHIFT] = 1u << PAGE_SHIFT | (PAGE_4M & ~2u);
	set_cr4(cr4() | CR4_PSE);
	__asm__ volatile("movl %0, %%cr3" : : "r"(page_directory) : "memory");
	__asm__ volatile("movl %%cr0, %0" : "=r"(cr0));
	__asm__ volatile("movl %0, %%cr0" : : "r"(cr0 | CR0_WP_PG) : "memory");
}

struct cpuid cpuid(uint32_t leaf)
{
	struct cpuid c = { leaf, 0, 0, 0 };

	__asm__("cpuid" : "+a"(c.eax), "=b"(c.ebx), "+c"(c.ecx), "=d"(c.edx));
	return c;
}

static void identify(void)
{
	struct cpuid leaf = cpuid(10);
	uint32_t capabilities;

	version = leaf.eax & 0xff;
	counters = leaf.eax >> 8 & 0xff;
	fixed_counters = leaf.edx & 31;
	if (!version)
		return;
	capabilities = (uint32_t)rdmsr(IA32_PERF_CAPABILITIES);
	full_width = capabilities & CAPABILITIES_FW_WRITE;
	pebs = !(rdmsr(IA32_MISC_ENABLE) & MISC_PEBS_UNAVAILABLE);
	/* Nehalem's format, or Skylake's */
	last_branches = (capabilities & 0x3f) == 3 ? 16 : (capabilities & 0x3f) == 5 ? 32 : 0;
}

static void set_up(void)
{
	set_up_segments();
	set_up_pages();
	/* The legacy interrupt controllers stay silent. */
	outb(0x21, 0xff);
	outb(0xa1, 0xff);
	LAPIC_SVR |= 0x100;
}

void write_counter(unsigned counter, uint64_t value)
{
	wrmsr((full_width ? IA32_A_PMC0 : IA32_PMC0) + counter, value);
}

void quiesce(void)
{
	wrmsr(IA32_DEBUGCTL, 0);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	wrmsr(IA32_FIXED_CTR_CTRL, 0);
	for (unsigned i = 0; i < counters; i++)
		wrmsr(IA32_PERFEVTSEL0 + i, 0);
	wrmsr(IA32_PERF_GLOBAL_RESET, rdmsr(IA32_PERF_GLOBAL_STATUS));
	LVTPC = LVT_MASKED;
	pmis = nmis = 0;
}

void pmi_handler(void)
{
	pmi_status = rdmsr(IA32_PERF_GLOBAL_STATUS);
	pmi_counter = rdmsr(IA32_PMC0);
	pmi_lvt = LVTPC;
	pmis++;
	LAPIC_EOI = 0;
}

void db_handler(void)
{
	db_debugctl = rdmsr(IA32_DEBUGCTL);
	dbs++;
}

void overflow_soon(uint64_t debugctl)
{
	wrmsr(IA32_DEBUGCTL, debugctl);
	wrmsr(IA32_PMC0, (uint32_t)-100);
	wrmsr(IA32_PERFEVTSEL0, 0xc0 | EVTSEL_OS_EN | EVTSEL_INT);
	LVTPC = PMI_VECTOR;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	traced(1000);
}

/* Number of counters that run although the test started none: shows the firmware's use */
static void report_leftovers(void)
{
	unsigned running = 0;

	for (unsigned i = 0; i < counters; i++)
		running += (rdmsr(IA32_PERFEVTSEL0 + i) & EVTSEL_OS_EN) == EVTSEL_OS_EN;
	for (unsigned i = 0; i < fixed_counters; i++)
		running += (rdmsr(IA32_FIXED_CTR_CTRL) >> (4 * i) & 3) != 0;
	tap_note("counters that run at entry", running);
}

void image_main(void)
{
	set_up();
	identify();
	if (!version) {
		test_off();
		tap_end();
	}
	report_leftovers();
	quiesce();
	__asm__ volatile("sti");
	test_delay();
	test_presence();
	quiesce();
	test_counters();
	test_control();
	test_init();
	test_reference();
	test_delivery();
	test_debug_store();
	test_last_branches();
	tap_end();
}
