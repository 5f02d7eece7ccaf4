/* SPDX-License-Identifier: MIT */
/*
 * Reads PE32+ images, the format of firmware, as untrusted bytes: a file's bytes, or an image as a
 * loader has placed it. Every offset is checked against the available bytes. Pure, without
 * allocation; for firmware and host. Thread, or any handler.
 *
 * Source: PE Format (Microsoft); for EDK2's variations Include/IndustryStandard/PeImage.h.
 */
#ifndef LIB_PARSE_PE_IMAGE_H
#define LIB_PARSE_PE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define PE_MACHINE_AMD64 0x8664U
#define PE_MACHINE_ARM64 0xaa64U

enum pe_subsystem {
	PE_EFI_APPLICATION = 10,
	PE_EFI_BOOT_SERVICE_DRIVER = 11,
	PE_EFI_RUNTIME_DRIVER = 12,
};

/* The layout: sections at their PointerToRawData, or at their VirtualAddress. */
enum pe_form { PE_FILE, PE_MAPPED };

struct pe_directory {
	uint32_t rva, size; /* size 0: there is none */
};

struct pe_image {
	const uint8_t *bytes;
	uint64_t size; /* available bytes; a mapped image may have fewer or more than image_size */
	enum pe_form form;
	uint16_t machine, subsystem;
	uint32_t entry;      /* RVA; 0: none */
	uint32_t image_size; /* SizeOfImage: of the whole mapping */
	uint32_t headers_size;
	uint64_t image_base; /* the link address, or the loader's address */
	struct pe_directory relocations, debug;
	uint32_t symbols; /* the COFF symbol table's place in the file */
	uint32_t symbol_count;
	uint32_t section_count; /* at most PE_MAX_SECTIONS */
	uint64_t section_table; /* offset in bytes */
};

#define PE_MAX_SECTIONS 96U

/* Examine size bytes of any content. Returns 0, or -ENOEXEC and why, a phrase ("it is not a PE
 * image"). Does not check that the sections' contents are available. */
int pe_parse(struct pe_image *image, const void *bytes, uint64_t size, enum pe_form form,
             const char **why);

#define PE_SECTION_CODE    0x00000020U
#define PE_SECTION_EXECUTE 0x20000000U

struct pe_section {
	char name[9];
	uint32_t rva;                    /* rva + size fits into 32 bits */
	uint32_t size;                   /* in memory: VirtualSize, 0: file_size */
	uint32_t file_offset, file_size; /* file_size may exceed size; the rest is padding */
	uint32_t flags;                  /* PE_SECTION_* */
};

/* Get section number `number` of image->section_count, from 0; false: there are no more. */
bool pe_section(const struct pe_image *image, uint32_t number, struct pe_section *section);

/* Whether the section may contain code. */
static inline bool pe_section_is_code(const struct pe_section *section)
{
	return section->flags & (PE_SECTION_EXECUTE | PE_SECTION_CODE);
}

/* size bytes at an RVA; any values are allowed. NULL if they are not all available: a file lacks
 * sections such as .bss. */
const void *pe_at(const struct pe_image *image, uint32_t rva, uint64_t size);

/* The bytes that a loader changes when it places the image elsewhere than at image_base. */
struct pe_relocations {
	uint32_t at, block_end, page; /* all 0 at first */
};

/* The next relocation: size bytes at rva, which may be anywhere. Returns false if there are no
 * more, or if the rest is damaged. They need not be sorted. */
bool pe_relocation_next(const struct pe_image *image, struct pe_relocations *walk, uint64_t *rva,
                        uint32_t *size);

/* An image's pointer to its symbols: a CodeView entry of its debug directory. */
enum pe_debug_kind {
	PE_DEBUG_NONE,
	PE_DEBUG_NB10, /* EDK2's, for images made from ELF: a path, usually with a signature of 0 */
	PE_DEBUG_RSDS, /* a GUID and an age, unique to the build */
	PE_DEBUG_MTOC, /* Mach-O's UUID */
};

struct pe_debug {
	enum pe_debug_kind kind;
	uint8_t id[16];     /* RSDS: GUID, MTOC: UUID, in the image's byte order; else 0 */
	uint32_t age;       /* RSDS */
	uint32_t signature; /* NB10 */
	const char *path;   /* in the image, NOT terminated; without NUL bytes */
	uint32_t path_size; /* 0: there is none */
};

/* Find the next CodeView entry from *at on (start with *at = 0) and set *at behind it; false: there
 * are no more. Entries of other kinds, and damaged ones, are skipped. */
bool pe_debug_next(const struct pe_image *image, uint32_t *at, struct pe_debug *debug);

/* The best entry: one with a GUID or UUID is preferred. kind PE_DEBUG_NONE: there is none. */
void pe_debug_find(const struct pe_image *image, struct pe_debug *debug);

/* Take the module's name from a path of any system: "/b/DEBUG/NvmExpressDxe.dll" and
 * "NvmExpressDxe.efi" give NvmExpressDxe. Terminated, cut to to_size - 1 characters; a character
 * that is not printable ASCII, or is a quote, becomes '?'. Returns its length, 0 if the path ends
 * with a '/'. to_size > 0. */
uint32_t pe_module_name(const char *path, uint64_t path_size, char *to, uint32_t to_size);

#define PE_BUILD_ID 20U
#define PE_HASH     16U /* the bytes of it that are a hash */

/*
 * The image's identity, for perf's build-id. It is the same in the file and in memory, at any load
 * address:
 *
 *	RSDS	the GUID as it lies in the image, then the age, little-endian
 *	MTOC	the UUID, then 0
 *	else	16 bytes of hash: of machine, subsystem, entry, SizeOfImage, sections (name, RVA,
 *		size, flags), CodeView's path and signature, and of the code sections' bytes, those
 *		that are relocated as 0; then, little-endian, lib/parse/pe_probe.h's word, by which
 *		the ELF file that the image was made of is known without the image, and which is
 *		another one if relocated numbers lie at no multiple of 8
 *
 * A recording has an MMAP2 record for each loaded image, with PERF_RECORD_MISC_MMAP_BUILD_ID and
 * this as its build-id: image_size bytes at the base, pgoff 0, and as its name the path in the
 * debug directory, else the file's path, else the module's name with ".efi". The host finds the
 * functions by the build-id.
 *
 * A GUID or UUID of 0 is ignored. Returns false, with id 0, if some of the code is not available.
 * Takes about as long as copying the code. The bytes must not change meanwhile, and an image that
 * modifies its own code must not have run yet.
 */
bool pe_build_id(const struct pe_image *image, uint8_t id[PE_BUILD_ID]);

/* Whether the identity is such a hash. */
bool pe_is_hashed(const struct pe_image *image);

#endif
