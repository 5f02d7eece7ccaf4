/* SPDX-License-Identifier: MIT */
#include "host-tools/record/outside/outside_kernel.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/perfdata/buildid_cache.h"
#include "host-tools/record/outside/outside_names.h"

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
		code = error_set(error, -ENOEXEC,
		                 "it is neither an ELF file nor a list of functions (System.map, "
		                 "/proc/kallsyms). A compressed kernel (bzImage, Image.gz) has no "
		                 "names: give the vmlinux that it was made from");
	elf_end(elf);
	return code;
}

/* perf shows a file's own name, which is "elf" in its cache: give it another name there, too. Frees
 * path if it returns another. */
static char *rename_for_perf(char *path, const char *name)
{
	char *slash = strrchr(path, '/'), *other = NULL;

	if (!slash || asprintf(&other, "%.*s/%s", (int)(slash - path), path, name) < 0)
		return path;
	if (link(path, other) && errno != EEXIST) {
		free(other);
		return path;
	}
	free(path);
	return other;
}

/* Put an ELF file of the functions into perf's cache. */
static int cache_names(const struct outside_names *names, const char *name, uint16_t machine,
                       char **symbols, struct error *error)
{
	const struct tr_image *image = &names->image;
	int fd = memfd_create("bareperf-names", MFD_CLOEXEC);
	char path[64], own[128];
	int code;

	if (fd < 0)
		return error_errno(error, "making a file of its symbols");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(own, sizeof(own), "[guest]/%s", name);
	code = outside_names_write(names, fd, machine, error);
	if (!code)
		code = buildid_cache_put(path, own, image->build_id, image->build_id_size, error);
	close(fd);
	*symbols = code ? NULL : buildid_cache_find(image->build_id, image->build_id_size);
	if (*symbols) {
		char *real = realpath(*symbols, NULL); /* of the link by its build-id */

		free(*symbols);
		*symbols = real ? rename_for_perf(real, name) : NULL;
	}
	if (code == -ENOENT || (!code && !*symbols))
		return error_set(error, -ENOENT,
		                 "the ELF file that perf needs is made in perf's cache, and there "
		                 "is none: set HOME or PERF_BUILDID_DIR");
	return code;
}

static int take_names(struct outside_config *config, const char *text, size_t size,
                      const char *name, uint16_t machine, char **symbols, struct error *error)
{
	struct outside_names names = { 0 };
	int code = outside_names_parse(&names, text, size, error);

	if (!code)
		code = cache_names(&names, name, machine, symbols, error);
	snprintf(names.image.name, sizeof(names.image.name), "%s", name);
	config->images[0] = names.image;
	config->image_count = !code;
	outside_names_free(&names);
	return code;
}

/* The bytes of a file; *size is 0 if it is none with bytes. The caller unmaps them. */
static const char *map_file(int fd, size_t *size)
{
	struct stat status;
	void *text;

	*size = 0;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return NULL;
	text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return NULL;
	*size = (size_t)status.st_size;
	return text;
}

int outside_kernel_load(struct outside_config *config, const char *path, uint16_t machine,
                        char **symbols, struct error *error)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *text;
	size_t size;
	int code;

	*symbols = NULL;
	if (fd < 0)
		return error_errno(error, "--symbols %s", path);
	text = map_file(fd, &size);
	if (text && outside_names_are_meant(text, size)) {
		code = take_names(config, text, size, name, machine, symbols, error);
	} else {
		code = take_elf(config, fd, name, error);
		*symbols = code ? NULL : strdup(path);
	}
	if (text)
		munmap((void *)(uintptr_t)text, size);
	close(fd);
	return code ? error_prefix(error, code, "--symbols %s", path) : 0;
}
