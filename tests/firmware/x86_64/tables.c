/* SPDX-License-Identifier: MIT */
/*
 * A firmware whose page tables are stricter or deeper than OVMF's, on a machine with at most 1 GiB
 * of memory. Words in addition to those of chain.h:
 *
 *	la57	five levels
 *	wx	only code is executable, and no page of the image is both writable and executable
 *
 * After the image's return the state of the tables is printed.
 */
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/registers.h"
#include "tests/firmware/chain.h"

#define ENTRIES 512U
#define GIB     (1ULL << 30)
#define OPEN    (PTE_P | PTE_RW)

/* Microsoft, "PE Format" */
#define PE_OFFSET        0x3c
#define PE_SECTIONS      6
#define PE_OPTIONAL_SIZE 20
#define PE_SECTION_SIZE  40U
#define SECTION_EXECUTE  (1U << 29)
#define SECTION_WRITE    (1U << 31)

static uint64_t *first_gib; /* the pages of the first GiB, 4 KiB each */

/* Below 4 GiB, because CR3 is loaded in 32-bit mode. */
static uint64_t *tables_new(unsigned pages)
{
	return memory_alloc_pages_below(pages, 1ULL << 32);
}

/* Identity mapping: the first GiB by 4-KiB pages, the first TiB by 1-GiB pages. Returns the fourth
 * level. */
static uint64_t *tables_make(void)
{
	uint64_t *level4 = tables_new(1), *level3 = tables_new(2), *level2 = tables_new(1);

	first_gib = tables_new(ENTRIES);
	for (uint64_t i = 0; i < ENTRIES * ENTRIES; i++)
		first_gib[i] = i * ARCH_PAGE | OPEN;
	for (uint64_t i = 0; i < ENTRIES; i++)
		level2[i] = (uint64_t)(first_gib + i * ENTRIES) | OPEN;
	for (uint64_t i = 0; i < 2 * ENTRIES; i++)
		level3[i] = i * GIB | OPEN | PTE_PS;
	level3[0] = (uint64_t)level2 | OPEN;
	level4[0] = (uint64_t)level3 | OPEN;
	level4[1] = (uint64_t)(level3 + ENTRIES) | OPEN;
	return level4;
}

static void tables_set(uint64_t start, uint64_t end, uint64_t flags)
{
	for (uint64_t at = start / ARCH_PAGE;
	     at < (end + ARCH_PAGE - 1) / ARCH_PAGE && at < ENTRIES * ENTRIES; at++)
		first_gib[at] = at * ARCH_PAGE | flags;
}

/* EDK2's wait loop of the other CPUs is in reserved memory. */
static bool tables_is_code(const EFI_MEMORY_DESCRIPTOR *area)
{
	return area->Type == EfiReservedMemoryType || area->Type == EfiLoaderCode ||
	       area->Type == EfiBootServicesCode || area->Type == EfiRuntimeServicesCode;
}

static void tables_each_area(void (*visit)(const EFI_MEMORY_DESCRIPTOR *area))
{
	static uint8_t map[1 << 20];
	UINTN size = sizeof(map), key, stride;
	UINT32 version;

	efi_system->BootServices->GetMemoryMap(&size, (void *)map, &key, &stride, &version);
	for (UINTN at = 0; at < size; at += stride)
		visit((const void *)(map + at));
}

/* As firmware that protects memory by its type: UEFI 2.10, 7.2.3, EFI_MEMORY_XP. */
static void tables_forbid_data(const EFI_MEMORY_DESCRIPTOR *area)
{
	tables_set(area->PhysicalStart, area->PhysicalStart + area->NumberOfPages * ARCH_PAGE,
	           tables_is_code(area) ? OPEN : OPEN | PTE_XD);
}

/* EDK2 keeps CR0, CR3 and CR4 for each CPU in its data, and loads them when it wakes the CPU.
 * Change these to five levels as well. */
static void tables_deepen_others(const EFI_MEMORY_DESCRIPTOR *area)
{
	uint64_t *at = (uint64_t *)area->PhysicalStart, cr3 = x86_read_cr3();
	uint64_t *end = at + area->NumberOfPages * (ARCH_PAGE / 8) - 2;

	for (; area->Type == EfiBootServicesData && at < end; at++)
		if (at[1] == cr3 && (at[0] & 0x80000001) == 0x80000001 && at[0] >> 32 == 0 &&
		    (at[2] & ~0x1fffULL) == 0 && at[2] & 1 << 5)
			at[2] |= CR4_LA57;
}

/* By the image's section table; headers are read-only. */
static void tables_protect(const EFI_LOADED_IMAGE *image)
{
	const uint8_t *base = image->ImageBase;
	const uint8_t *pe = base + *(const uint32_t *)(base + PE_OFFSET);
	const uint8_t *section = pe + 24 + *(const uint16_t *)(pe + PE_OPTIONAL_SIZE);
	unsigned count = *(const uint16_t *)(pe + PE_SECTIONS);

	tables_set((uint64_t)base, (uint64_t)base + image->ImageSize, PTE_P | PTE_XD);
	for (; count > 0; count--, section += PE_SECTION_SIZE) {
		uint64_t start = (uint64_t)base + *(const uint32_t *)(section + 12);
		uint32_t flags = *(const uint32_t *)(section + 36);

		tables_set(start, start + *(const uint32_t *)(section + 8),
		           PTE_P | (flags & SECTION_WRITE ? PTE_RW : 0) |
		               (flags & SECTION_EXECUTE ? 0 : PTE_XD));
	}
}

/*
 * Load CR3 and set CR4.LA57, which requires that paging is off (SDM volume 3A, 4.5.1 and 4.1.2). So
 * the code switches to 32-bit mode, with code and stack below 4 GiB. At the end the segments are
 * the firmware's again.
 */
void tables_deepen(uint64_t root);
__asm__(
    "	.text\n"
    "	.globl tables_deepen\n"
    "	.type tables_deepen, @function\n"
    "tables_deepen:\n"
    "	push %rbp\n"
    "	push %rbx\n"
    "	pushfq\n"
    "	cli\n"
    "	mov %rdi, %rbx\n"
    "	sub $32, %rsp\n"
    "	sgdt (%rsp)\n"
    "	mov %cs, 16(%rsp)\n"
    "	mov %ss, 20(%rsp)\n"
    "	mov %ds, 24(%rsp)\n"
    "	mov %es, 28(%rsp)\n"
    "	lea tables_gdt(%rip), %rax\n"
    "	push %rax\n"
    "	pushw $31\n"
    "	lgdt (%rsp)\n"
    "	add $10, %rsp\n"
    "	mov $16, %eax\n"
    "	mov %eax, %ss\n"
    "	mov %eax, %ds\n"
    "	mov %eax, %es\n"
    "	lea 2f(%rip), %rsi\n"
    "	pushq $8\n"
    "	lea 1f(%rip), %rax\n"
    "	push %rax\n"
    "	lretq\n"
    "	.code32\n"
    "1:	mov %cr0, %eax\n"
    "	btr $31, %eax\n"
    "	mov %eax, %cr0\n"
    "	mov %cr4, %eax\n"
    "	or $0x1000, %eax\n"
    "	mov %eax, %cr4\n"
    "	mov %cr3, %edi\n"
    "	mov %edi, %edx\n"
    "	mov %ebx, %eax\n"
    "	stosl\n"
    "	xor %eax, %eax\n"
    "	mov $1023, %ecx\n"
    "	rep stosl\n"
    "	mov %edx, %cr3\n"
    "	mov %cr0, %eax\n"
    "	bts $31, %eax\n"
    "	mov %eax, %cr0\n"
    "	push $24\n"
    "	push %esi\n"
    "	lretl\n"
    "	.code64\n"
    "2:	lgdt (%rsp)\n"
    "	mov 20(%rsp), %eax\n"
    "	mov %eax, %ss\n"
    "	mov 24(%rsp), %eax\n"
    "	mov %eax, %ds\n"
    "	mov 28(%rsp), %eax\n"
    "	mov %eax, %es\n"
    "	movzwl 16(%rsp), %eax\n"
    "	add $32, %rsp\n"
    "	push %rax\n"
    "	lea 3f(%rip), %rax\n"
    "	push %rax\n"
    "	lretq\n"
    "3:	popfq\n"
    "	pop %rbx\n"
    "	pop %rbp\n"
    "	ret\n"
    "	.size tables_deepen, . - tables_deepen\n"
    "	.balign 8\n"
    "tables_gdt:\n"
    "	.quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00af9b000000ffff\n");

static void tables_change(const EFI_LOADED_IMAGE *image)
{
	uint64_t *level4 = tables_make();

	if (test_asked("wx")) {
		tables_set(0, GIB, OPEN | PTE_XD);
		tables_each_area(tables_forbid_data);
		tables_protect(image);
		wrmsr(IA32_EFER, rdmsr(IA32_EFER) | IA32_EFER_NXE);
	}
	x86_write_cr0(x86_read_cr0() & ~CR0_WP); /* the root table may be read-only */
	if (test_asked("la57")) {
		tables_deepen((uint64_t)level4 | OPEN);
		tables_each_area(tables_deepen_others);
	} else {
		memcpy((void *)(x86_read_cr3() & PTE_ADDRESS), level4, ARCH_PAGE);
	}
	x86_write_cr3(x86_read_cr3());
	x86_write_cr0(x86_read_cr0() | CR0_WP);
}

static void tables_undo(const EFI_LOADED_IMAGE *image)
{
	bool was_protected = !(first_gib[(uint64_t)image->ImageBase / ARCH_PAGE] & PTE_RW);

	tables_set((uint64_t)image->ImageBase, (uint64_t)image->ImageBase + image->ImageSize, OPEN);
	x86_write_cr3(x86_read_cr3());
	console_printf("# CR4.LA57 %u, the image was %s\n", x86_read_cr4() & CR4_LA57 ? 1 : 0,
	               was_protected ? "protected" : "open");
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return chain_run(image, system, tables_change, tables_undo);
}
