/* SPDX-License-Identifier: MIT */
#include "host-tools/record/outside/outside_kernel.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The build-id: perf finds the file by it, and a file without one may be another's. */
static int take_build_id(struct tr_image *image, Elf *elf, struct error *error)
{
	const void *id = NULL;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &id);

	if (size <= 0 || (size_t)size > sizeof(image->build_id))
		return error_set(
		    error, -ENODATA,
		    "it has no build-id: link it with -Wl,--build-id (ld: --build-id)");
	image->build_id_size = (uint32_t)size;
	memcpy(image->build_id, id, (size_t)size);
	return 0;
}

static void take_segment(struct tr_image *image, const GElf_Phdr *phdr)
{
	uint64_t before = phdr->p_vaddr % TR_PAGE;

	image->address = image->link_address = phdr->p_vaddr - before;
	image->size = (before + phdr->p_memsz + TR_PAGE - 1) / TR_PAGE * TR_PAGE;
}

static int take_segments(struct outside_config *config, Elf *elf, const char *name,
                         struct error *error)
{
	struct tr_image image = { 0 };
	size_t count = 0;
	GElf_Phdr phdr;
	int code = take_build_id(&image, elf, error);

	if (code)
		return code;
	snprintf(image.name, sizeof(image.name), "%s", name);
	if (elf_getphdrnum(elf, &count))
		count = 0;
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &phdr); i++) {
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X) || !phdr.p_filesz)
			continue;
		if (config->image_count == TR_MAX_IMAGES)
			return error_set(error, -E2BIG, "it has more than %u executable segments",
			                 TR_MAX_IMAGES);
		take_segment(&image, &phdr);
		config->images[config->image_count++] = image;
	}
	return config->image_count ? 0 : error_set(error, -ENODATA, "it has no executable segment");
}

static int take_elf(struct outside_config *config, int fd, const char *name, struct error *error)
{
	Elf *elf;
	int code;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		code = take_segments(config, elf, name, error);
	else
		code =
		    error_set(error, -ENOEXEC,
		              "it is no ELF file. A compressed kernel (bzImage, Image.gz) has no "
		              "names: give the vmlinux that it was made from");
	elf_end(elf);
	return code;
}

int outside_kernel_load(struct outside_config *config, const char *path, struct error *error)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int code;

	if (fd < 0)
		return error_errno(error, "--symbols %s", path);
	code = take_elf(config, fd, name, error);
	close(fd);
	return code ? error_prefix(error, code, "--symbols %s", path) : 0;
}
