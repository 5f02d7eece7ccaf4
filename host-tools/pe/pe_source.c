/* SPDX-License-Identifier: MIT */
#include "host-tools/pe/pe_source.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_elf(struct pe_source *source)
{
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	source->elf = elf_memory(source->bytes, source->size);
	return source->elf && elf_kind(source->elf) == ELF_K_ELF &&
	       gelf_getehdr(source->elf, &header) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
	       (header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

static bool is_known(struct pe_source *source)
{
	const char *why;

	source->is_pe = !pe_parse(&source->image, source->bytes, source->size, PE_FILE, &why);
	return source->is_pe || (source->size > SELFMAG &&
	                         !memcmp(source->bytes, ELFMAG, SELFMAG) && open_elf(source));
}

bool pe_source_open(struct pe_source *source, const char *path)
{
	struct stat stat_of;

	/* O_NONBLOCK, because opening a FIFO would wait */
	*source = (struct pe_source){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
		                      .bytes = MAP_FAILED };
	if (source->fd >= 0 && !fstat(source->fd, &stat_of) && S_ISREG(stat_of.st_mode) &&
	    stat_of.st_size > 0) {
		source->size = (size_t)stat_of.st_size;
		/* libelf may write into elf_memory()'s bytes */
		source->bytes =
		    mmap(NULL, source->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, source->fd, 0);
	}
	if (source->bytes != MAP_FAILED && is_known(source))
		return true;
	pe_source_close(source);
	return false;
}

void pe_source_close(struct pe_source *source)
{
	elf_end(source->elf);
	if (source->bytes != MAP_FAILED)
		munmap(source->bytes, source->size);
	if (source->fd >= 0)
		close(source->fd);
	*source = (struct pe_source){ .fd = -1, .bytes = MAP_FAILED };
}
