/* SPDX-License-Identifier: MIT */
/* The list of functions as an ELF file for perf, which reads no list for another machine's kernel.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/record/outside/outside_names.h"
#include "writer/util/blob.h"

/*
 *	ELF header | 2 program headers | build-id | symbols | their names | names of sections |
 *	section headers | up to a page: a hole, as large as the code
 */
enum {
	SECTION_NONE,
	SECTION_TEXT,
	SECTION_NOTE,
	SECTION_SYMBOLS,
	SECTION_STRINGS,
	SECTION_NAMES,
	SECTIONS
};

static const char section_names[] = "\0.text\0.note.gnu.build-id\0.symtab\0.strtab\0.shstrtab";
#define NAME_TEXT    1U
#define NAME_NOTE    7U
#define NAME_SYMBOLS 26U
#define NAME_STRINGS 34U
#define NAME_NAMES   42U

struct layout {
	struct blob note, symbols, strings;
	Elf64_Shdr sections[SECTIONS];
	uint64_t end;
};

static void place(struct layout *layout, unsigned section, uint32_t name, uint32_t type,
                  const struct blob *blob)
{
	layout->sections[section] = (Elf64_Shdr){
		.sh_name = name,
		.sh_type = type,
		.sh_offset = layout->end,
		.sh_size = blob->size,
		.sh_addralign = 8,
	};
	layout->end = (layout->end + blob->size + 7) / 8 * 8;
}

static void fill_blobs(struct layout *layout, const struct outside_names *names)
{
	blob_u32(&layout->note, 4);
	blob_u32(&layout->note, names->image.build_id_size);
	blob_u32(&layout->note, NT_GNU_BUILD_ID);
	blob_add(&layout->note, "GNU", 4);
	blob_add(&layout->note, names->image.build_id, names->image.build_id_size);
	blob_add(&layout->symbols, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	blob_add(&layout->strings, "", 1);
	for (size_t i = 0; i < names->count; i++) {
		const struct outside_name *entry = &names->all[i];
		const Elf64_Sym symbol = {
			.st_name = (Elf64_Word)layout->strings.size,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SECTION_TEXT,
			.st_value = entry->address,
			.st_size = entry->size,
		};

		blob_add(&layout->symbols, &symbol, sizeof(symbol));
		blob_add(&layout->strings, entry->name, entry->length);
		blob_add(&layout->strings, "", 1);
	}
}

/* Returns the offset of the code. */
static uint64_t lay_out(struct layout *layout, const struct tr_image *image)
{
	struct blob names = { .size = sizeof(section_names) };
	uint64_t code;

	layout->end = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
	place(layout, SECTION_NOTE, NAME_NOTE, SHT_NOTE, &layout->note);
	layout->sections[SECTION_NOTE].sh_addralign = 4;
	place(layout, SECTION_SYMBOLS, NAME_SYMBOLS, SHT_SYMTAB, &layout->symbols);
	layout->sections[SECTION_SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
	layout->sections[SECTION_SYMBOLS].sh_link = SECTION_STRINGS;
	layout->sections[SECTION_SYMBOLS].sh_info = 1; /* all after the first are global */
	place(layout, SECTION_STRINGS, NAME_STRINGS, SHT_STRTAB, &layout->strings);
	place(layout, SECTION_NAMES, NAME_NAMES, SHT_STRTAB, &names);
	code = (layout->end + sizeof(layout->sections) + TR_PAGE - 1) / TR_PAGE * TR_PAGE;
	layout->sections[SECTION_TEXT] = (Elf64_Shdr){
		.sh_name = NAME_TEXT,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = image->address,
		.sh_offset = code,
		.sh_size = image->size,
		.sh_addralign = TR_PAGE,
	};
	return code;
}

static bool write_at(int fd, const void *bytes, uint64_t size, uint64_t offset)
{
	const char *from = bytes;

	while (size) {
		ssize_t done = pwrite(fd, from, size, (off_t)offset);

		if (done <= 0)
			return false;
		from += done;
		size -= (uint64_t)done;
		offset += (uint64_t)done;
	}
	return true;
}

static bool write_file(const struct layout *layout, const struct tr_image *image, uint64_t code,
                       int fd, uint16_t machine)
{
	const Elf64_Shdr *sections = layout->sections;
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		             EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = layout->end,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};
	const Elf64_Phdr segments[2] = {
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_X,
		  .p_offset = code,
		  .p_vaddr = image->address,
		  .p_paddr = image->address,
		  .p_filesz = image->size,
		  .p_memsz = image->size,
		  .p_align = TR_PAGE },
		{ .p_type = PT_NOTE,
		  .p_flags = PF_R,
		  .p_offset = sections[SECTION_NOTE].sh_offset,
		  .p_filesz = layout->note.size,
		  .p_memsz = layout->note.size,
		  .p_align = 4 },
	};

	return !ftruncate(fd, (off_t)(code + image->size)) &&
	       write_at(fd, &header, sizeof(header), 0) &&
	       write_at(fd, segments, sizeof(segments), sizeof(header)) &&
	       write_at(fd, layout->note.bytes, layout->note.size,
	                sections[SECTION_NOTE].sh_offset) &&
	       write_at(fd, layout->symbols.bytes, layout->symbols.size,
	                sections[SECTION_SYMBOLS].sh_offset) &&
	       write_at(fd, layout->strings.bytes, layout->strings.size,
	                sections[SECTION_STRINGS].sh_offset) &&
	       write_at(fd, section_names, sizeof(section_names),
	                sections[SECTION_NAMES].sh_offset) &&
	       write_at(fd, sections, sizeof(layout->sections), layout->end);
}

int outside_names_write(const struct outside_names *names, int fd, uint16_t machine,
                        struct error *error)
{
	struct layout layout = { 0 };
	int code = 0;

	fill_blobs(&layout, names);
	if (layout.note.failed || layout.symbols.failed || layout.strings.failed)
		code = error_set(error, -ENOMEM, "no memory for its symbols");
	else if (!write_file(&layout, &names->image, lay_out(&layout, &names->image), fd, machine))
		code = error_errno(error, "writing a file of its symbols");
	blob_free(&layout.note);
	blob_free(&layout.symbols);
	blob_free(&layout.strings);
	return code;
}
