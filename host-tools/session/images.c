/* SPDX-License-Identifier: MIT */
/* Finding an image's ELF by its build-id. */
#include "host-tools/session/images.h"

#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/perfdata/buildid_cache.h"

void tool_directory(char *directory)
{
	ssize_t length = readlink("/proc/self/exe", directory, PATH_MAX - 1);
	char *slash;

	if (length <= 0) {
		strcpy(directory, ".");
		return;
	}
	directory[length] = 0;
	slash = strrchr(directory, '/');
	if (slash)
		*slash = 0;
}

static bool elf_has_build_id(Elf *elf, const struct tr_image *image)
{
	const void *id = NULL;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &id);

	return size > 0 && (size_t)size == image->build_id_size &&
	       !memcmp(id, image->build_id, (size_t)size);
}

/* The file offset of the byte with this link address; false if no executable segment contains it. A
 * segment that begins within a page has the bytes before it in that page, too. */
static bool find_offset(Elf *elf, uint64_t link_address, uint64_t *offset)
{
	size_t count;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &phdr); i++) {
		uint64_t before = phdr.p_vaddr % TR_PAGE;

		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X))
			continue;
		if (phdr.p_offset % TR_PAGE != before)
			before = 0;
		if (link_address < phdr.p_vaddr - before ||
		    link_address - (phdr.p_vaddr - before) >= before + phdr.p_filesz)
			continue;
		*offset = phdr.p_offset + (link_address - phdr.p_vaddr);
		return true;
	}
	return false;
}

/* Whether path is an ELF file with the image's build-id and its code. */
static bool matches(const char *path, const struct tr_image *image, uint64_t *offset)
{
	struct stat stat_of;
	bool same = false;
	Elf *elf;
	int fd;

	/* O_NONBLOCK, because opening a FIFO would wait. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (!fstat(fd, &stat_of) && S_ISREG(stat_of.st_mode)) {
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		if (elf && elf_kind(elf) == ELF_K_ELF)
			same = elf_has_build_id(elf, image) &&
			       find_offset(elf, image->link_address, offset);
		elf_end(elf);
	}
	close(fd);
	return same;
}

static char *search_directory(const char *directory, const struct tr_image *image, uint64_t *offset)
{
	DIR *dir = opendir(directory);
	char path[PATH_MAX];
	char *best = NULL;
	struct dirent *entry;
	uint64_t found;

	while (dir && (entry = readdir(dir))) {
		int length = snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);

		if (length < 0 || (size_t)length >= sizeof(path) || !matches(path, image, &found))
			continue;
		if (best && !buildid_is_symbol_file(entry->d_name))
			continue;
		free(best);
		best = realpath(path, NULL);
		*offset = found;
	}
	if (dir)
		closedir(dir);
	return best;
}

static char *search(const char *place, const struct tr_image *image, uint64_t *offset)
{
	struct stat stat_of;

	if (stat(place, &stat_of))
		return NULL;
	if (S_ISDIR(stat_of.st_mode))
		return search_directory(place, image, offset);
	return matches(place, image, offset) ? realpath(place, NULL) : NULL;
}

/* The files and directories to search, in this order; -1 after the last. */
static int place(char *to, int i, const struct region *region, const struct image_places *places)
{
	const char *arch = region_arch_name(region->header.machine);
	char tool[PATH_MAX];
	char *slash;

	tool_directory(tool);
	switch (i) {
	case 0:
		return snprintf(to, PATH_MAX, "%s", places->symbols ? places->symbols : "");
	case 1:
		return snprintf(to, PATH_MAX, "%s", places->payload ? places->payload : "");
	case 2:
		snprintf(to, PATH_MAX, "%s", places->booted ? places->booted : "");
		slash = strrchr(to, '/');
		if (slash)
			*slash = 0;
		else if (*to)
			strcpy(to, ".");
		return 0;
	case 3:
		return snprintf(to, PATH_MAX, "%s/../%s", tool, arch);
	case 4:
		return snprintf(to, PATH_MAX, "%s/%s", tool, arch);
	case 5:
		return snprintf(to, PATH_MAX, "%s/../lib/bareperf/%s", tool, arch);
	default:
		return -1;
	}
}

static char *find_one(const struct region *region, const struct tr_image *image,
                      const struct image_places *places, uint64_t *offset)
{
	char directory[PATH_MAX];
	char *path = NULL;

	for (int i = 0; !path && image->build_id_size; i++) {
		if (place(directory, i, region, places) < 0)
			break;
		if (*directory)
			path = search(directory, image, offset);
	}
	return path;
}

/* Find the segments without code. A file that has only functions' names says nothing about them. */
static void find_data(struct image_file *file)
{
	int fd = buildid_is_symbol_file(file->path)
	             ? -1
	             : open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size_t count = 0;
	GElf_Phdr phdr;

	if (elf && elf_getphdrnum(elf, &count))
		count = 0;
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &phdr); i++) {
		uint64_t before = phdr.p_vaddr % TR_PAGE;

		if (phdr.p_type != PT_LOAD || phdr.p_flags & PF_X || !phdr.p_memsz ||
		    phdr.p_offset % TR_PAGE != before || file->data_count == IMAGE_DATA)
			continue;
		file->data[file->data_count++] = (struct image_data){
			.link_address = phdr.p_vaddr - before,
			.size = (before + phdr.p_memsz + TR_PAGE - 1) / TR_PAGE * TR_PAGE,
			.file_offset = phdr.p_offset - before,
		};
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

struct image_file *images_find(const struct region *region, const struct image_places *places)
{
	struct image_file *files = images_named(region, places);

	elf_version(EV_CURRENT);
	for (uint32_t i = 0; files && i < region->header.images.count; i++) {
		uint64_t offset = 0;
		char *path = find_one(region, &region->images[i], places, &offset);

		if (!path)
			continue;
		free(files[i].path);
		files[i] = (struct image_file){ path, offset, true, { { 0 } }, 0 };
		find_data(&files[i]);
	}
	return files;
}

void images_cache(const struct region *region, const struct image_file *files)
{
	for (uint32_t i = 0; i < region->header.images.count; i++) {
		const struct tr_image *image = &region->images[i];
		struct error error = { "" };

		if (files[i].found && files[i].file_offset == image->link_address &&
		    buildid_cache_add(files[i].path, image->build_id, image->build_id_size,
		                      &error) &&
		    *error.text) /* without an error text there is no place for a cache */
			error_print(&error);
	}
}
