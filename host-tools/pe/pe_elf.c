/* SPDX-License-Identifier: MIT */
#include "host-tools/pe/pe_elf.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "writer/util/blob.h"

/*
 *	ELF header | program headers | code sections, each at its RVA | build-id | symbols' names |
 *	symbols | DWARF | sections' names | section headers
 *
 * Where the first code is, the image's own headers were, which are longer than these two.
 */
struct writer {
	Elf *elf;
	const struct pe_image *image;
	struct blob names;            /* of sections */
	uint64_t end;                 /* end of the sections that are placed so far */
	size_t code[PE_MAX_SECTIONS]; /* the indices of the image's sections; 0: left out */
	uint32_t code_count;
	bool failed;
};

#define IMAGE_LARGEST (256U << 20) /* limit of the image's size, which bounds the file's size */

#define NAMES "\0.shstrtab" /* the first names; the table's own name is at 1 */

struct placed {
	const char *name; /* NULL: the section of names itself */
	uint32_t type;
	uint64_t flags, address, align, entry_size;
	uint32_t link, info;
	const void *bytes; /* NULL: the section has no bytes in the file */
	uint64_t size;
	uint64_t offset;
};

/* Returns its index; 0: it could not be made. */
static size_t add_section(struct writer *writer, const struct placed *placed)
{
	Elf_Scn *section = elf_newscn(writer->elf);
	Elf_Data *data = section ? elf_newdata(section) : NULL;
	GElf_Shdr header = {
		.sh_name = placed->name ? (GElf_Word)writer->names.size : 1,
		.sh_type = placed->type,
		.sh_flags = placed->flags,
		.sh_addr = placed->address,
		.sh_offset = placed->offset,
		.sh_size = placed->size,
		.sh_link = placed->link,
		.sh_info = placed->info,
		.sh_addralign = placed->align,
		.sh_entsize = placed->entry_size,
	};

	if (placed->name)
		blob_add(&writer->names, placed->name, strlen(placed->name) + 1);
	if (!data || !gelf_update_shdr(section, &header)) {
		writer->failed = true;
		return 0;
	}
	data->d_buf = (void *)(uintptr_t)placed->bytes;
	data->d_size = placed->size;
	data->d_align = 1;
	data->d_type = ELF_T_BYTE; /* not converted: readers have our byte order */
	data->d_version = EV_CURRENT;
	if (placed->offset + placed->size > writer->end)
		writer->end = placed->offset + placed->size;
	return elf_ndxscn(section);
}

/* Place it after all placed sections. */
static size_t append(struct writer *writer, struct placed placed)
{
	placed.align = placed.align ? placed.align : 8;
	placed.offset = (writer->end + placed.align - 1) / placed.align * placed.align;
	return add_section(writer, &placed);
}

/* Add a code section, as far as the file has its bytes; bytes that an earlier section or our header
 * occupies are left out. */
static void add_code(struct writer *writer)
{
	struct pe_section section;

	for (uint32_t i = 0; pe_section(writer->image, i, &section); i++) {
		uint32_t size = section.file_size < section.size ? section.file_size : section.size;
		const void *bytes = pe_at(writer->image, section.rva, size);

		if (!pe_section_is_code(&section) || !size || !bytes || section.rva < writer->end ||
		    (uint64_t)section.rva + size > writer->image->image_size)
			continue;
		writer->code[i] =
		    add_section(writer, &(struct placed){ .name = section.name,
		                                          .type = SHT_PROGBITS,
		                                          .flags = SHF_ALLOC | SHF_EXECINSTR,
		                                          .address = section.rva,
		                                          .offset = section.rva,
		                                          .align = 1,
		                                          .bytes = bytes,
		                                          .size = size });
		writer->code_count += !!writer->code[i];
	}
}

static uint32_t count_code(const struct pe_image *image)
{
	struct pe_section section;
	uint32_t count = 0;

	for (uint32_t i = 0; pe_section(image, i, &section); i++)
		count += pe_section_is_code(&section);
	return count;
}

static void add_note(struct writer *writer, struct blob *note, const uint8_t id[PE_BUILD_ID])
{
	blob_u32(note, 4);
	blob_u32(note, PE_BUILD_ID);
	blob_u32(note, NT_GNU_BUILD_ID);
	blob_add(note, "GNU", 4);
	blob_add(note, id, PE_BUILD_ID);
	append(writer, (struct placed){ .name = ".note.gnu.build-id",
	                                .type = SHT_NOTE,
	                                .align = 4,
	                                .bytes = note->bytes,
	                                .size = note->size });
}

/* The index of the section that contains an RVA; 0: no written section. */
static size_t section_of(const struct writer *writer, uint32_t rva)
{
	struct pe_section section;

	for (uint32_t i = 0; pe_section(writer->image, i, &section); i++) {
		if (writer->code[i] && rva >= section.rva && rva - section.rva < section.size)
			return writer->code[i];
	}
	return 0;
}

static void add_symbols(struct writer *writer, const struct pe_functions *functions,
                        struct blob *symbols, struct blob *strings)
{
	size_t table;

	blob_add(symbols, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	blob_add(strings, "", 1);
	for (size_t i = 0; i < functions->count; i++) {
		const struct pe_function *function = &functions->all[i];
		const Elf64_Sym symbol = {
			.st_name = (Elf64_Word)strings->size,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = (Elf64_Section)section_of(writer, function->rva),
			.st_value = function->rva,
			.st_size = function->size,
		};

		if (!symbol.st_shndx)
			continue;
		blob_add(symbols, &symbol, sizeof(symbol));
		blob_add(strings, function->name, strlen(function->name) + 1);
	}
	table = append(writer, (struct placed){ .name = ".strtab",
	                                        .type = SHT_STRTAB,
	                                        .align = 1,
	                                        .bytes = strings->bytes,
	                                        .size = strings->size });
	append(writer, (struct placed){ .name = ".symtab",
	                                .type = SHT_SYMTAB,
	                                .link = (uint32_t)table,
	                                .info = 1, /* all after the first are global */
	                                .entry_size = sizeof(Elf64_Sym),
	                                .bytes = symbols->bytes,
	                                .size = symbols->size });
}

/* Foreign alignments and sizes are limited to possible ones for such a file. */
static void add_dwarf(struct writer *writer, Elf *dwarf)
{
	Elf_Scn *section = NULL;
	size_t names = 0, left = 0;
	GElf_Shdr header;
	Elf_Data *data;

	if (!dwarf || elf_getshdrstrndx(dwarf, &names) || !elf_rawfile(dwarf, &left))
		return;
	while ((section = elf_nextscn(dwarf, section))) {
		const char *name = gelf_getshdr(section, &header)
		                       ? elf_strptr(dwarf, names, header.sh_name)
		                       : NULL;

		if (!name || strncmp(name, ".debug_", 7) != 0 || header.sh_type != SHT_PROGBITS)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || data->d_size > left)
			continue;
		left -= data->d_size;
		append(writer,
		       (struct placed){
		           .name = name,
		           .type = SHT_PROGBITS,
		           .flags = header.sh_flags & (SHF_COMPRESSED | SHF_MERGE | SHF_STRINGS),
		           .entry_size = header.sh_entsize,
		           .align = header.sh_addralign <= 16 ? header.sh_addralign : 16,
		           .bytes = data->d_buf,
		           .size = data->d_size });
	}
}

static bool add_segment(struct writer *writer, int number, uint32_t type, uint64_t at,
                        uint64_t size)
{
	GElf_Phdr header = { .p_type = type, .p_flags = PF_R, .p_offset = at, .p_align = 4 };

	header.p_filesz = size;
	header.p_memsz = size;
	if (type == PT_LOAD) {
		header.p_flags |= PF_X;
		header.p_vaddr = at;
		header.p_paddr = at;
		header.p_align = 1;
	}
	return gelf_update_phdr(writer->elf, number, &header);
}

/* Segments for the loaded code, and for the note with the build-id. */
static bool add_segments(struct writer *writer, uint64_t note_offset)
{
	bool done = gelf_newphdr(writer->elf, writer->code_count + 1);
	GElf_Shdr section;
	int count = 0;

	for (uint32_t i = 0; done && i < writer->image->section_count; i++) {
		if (writer->code[i])
			done = gelf_getshdr(elf_getscn(writer->elf, writer->code[i]), &section) &&
			       add_segment(writer, count++, PT_LOAD, section.sh_offset,
			                   section.sh_size);
	}
	return done && add_segment(writer, count, PT_NOTE, note_offset, 16 + PE_BUILD_ID);
}

static bool write_elf(struct writer *writer, uint64_t note_offset, size_t names)
{
	GElf_Ehdr header;

	if (writer->failed || !writer->code_count || !add_segments(writer, note_offset) ||
	    !gelf_getehdr(writer->elf, &header))
		return false;
	header.e_type = ET_DYN;
	header.e_machine = pe_elf_machine(writer->image);
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_version = EV_CURRENT;
	header.e_entry = writer->image->entry;
	header.e_shstrndx = (GElf_Half)names;
	header.e_phoff = sizeof(Elf64_Ehdr);
	header.e_shoff = (writer->end + 7) / 8 * 8;
	return gelf_update_ehdr(writer->elf, &header) && elf_update(writer->elf, ELF_C_WRITE) >= 0;
}

static bool build(struct writer *writer, const struct pe_functions *functions, Elf *dwarf,
                  const uint8_t id[PE_BUILD_ID])
{
	struct blob note = { 0 }, symbols = { 0 }, strings = { 0 };
	uint64_t note_offset;
	size_t names;
	bool done;

	blob_add(&writer->names, NAMES, sizeof(NAMES));
	writer->end = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) * (count_code(writer->image) + 1);
	add_code(writer);
	note_offset = (writer->end + 3) / 4 * 4;
	add_note(writer, &note, id);
	add_symbols(writer, functions, &symbols, &strings);
	add_dwarf(writer, dwarf);
	names = append(writer, (struct placed){ .type = SHT_STRTAB,
	                                        .align = 1,
	                                        .bytes = writer->names.bytes,
	                                        .size = writer->names.size });
	done = !note.failed && !symbols.failed && !strings.failed && !writer->names.failed &&
	       write_elf(writer, note_offset, names);
	blob_free(&note);
	blob_free(&symbols);
	blob_free(&strings);
	return done;
}

uint16_t pe_elf_machine(const struct pe_image *image)
{
	return image->machine == PE_MACHINE_AMD64   ? EM_X86_64
	       : image->machine == PE_MACHINE_ARM64 ? EM_AARCH64
	                                            : EM_NONE;
}

int pe_elf_write(int fd, const struct pe_image *image, const struct pe_functions *functions,
                 Elf *dwarf, const uint8_t id[PE_BUILD_ID], struct error *error)
{
	struct writer writer = { .image = image };
	bool done;
	int failed;

	if (image->image_size > IMAGE_LARGEST)
		return error_set(error, -EFBIG, "the image claims to be larger than 256 MiB");
	if (pe_elf_machine(image) == EM_NONE)
		return error_set(error, -ENODATA,
		                 "the image is for a machine that is not known here");
	elf_version(EV_CURRENT);
	elf_errno(); /* forget earlier errors */
	writer.elf = elf_begin(fd, ELF_C_WRITE, NULL);
	done = writer.elf && gelf_newehdr(writer.elf, ELFCLASS64) &&
	       elf_flagelf(writer.elf, ELF_C_SET, ELF_F_LAYOUT) &&
	       build(&writer, functions, dwarf, id);
	failed = elf_errno();
	if (!done)
		error_set(error, -EIO, "making an ELF file: %s",
		          failed              ? elf_errmsg(failed)
		          : count_code(image) ? "no memory"
		                              : "the image has no code");
	elf_end(writer.elf);
	blob_free(&writer.names);
	return done ? 0 : -EIO;
}
