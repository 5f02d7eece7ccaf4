/* SPDX-License-Identifier: MIT */
/* perf's cache of files by build-id. */
#include "host-tools/perfdata/buildid_cache.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/util/copy.h"

void buildid_text(char text[BUILDID_TEXT], const uint8_t *id, size_t size)
{
	*text = 0;
	for (size_t i = 0; i < size && i < BUILDID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

bool buildid_is_of(const char *path, const uint8_t *id, size_t size)
{
	const void *own = NULL;
	bool same = false;
	struct stat stat_of;
	Elf *elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	if (!fstat(fd, &stat_of) && S_ISREG(stat_of.st_mode)) {
		elf_version(EV_CURRENT);
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		same = elf && elf_kind(elf) == ELF_K_ELF && size &&
		       dwelf_elf_gnu_build_id(elf, &own) == (ssize_t)size && !memcmp(own, id, size);
		elf_end(elf);
	}
	close(fd);
	return same;
}

bool buildid_is_symbol_file(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".sym");
}

/* The cache's directory; the caller frees it. NULL: none. */
static char *cache_directory(void)
{
	const char *own = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	char *directory = NULL;

	if (own && *own)
		return strdup(own);
	if (!home || !*home || asprintf(&directory, "%s/.debug", home) < 0)
		return NULL;
	return directory;
}

/* Make the parent directories of path. */
static int make_parents(char *path, struct error *error)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			return error_errno(error, "making %s", path);
		*slash = '/';
	}
	return 0;
}

/* A copy, not a link, because a new build may overwrite the file. It gets its name when it is
 * complete, because other processes may do the same. */
static int copy_file(const char *path, const char *to, struct error *error)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), out = -1, code;
	char *part = NULL;

	if (from < 0)
		return error_errno(error, "opening %s", path);
	if (asprintf(&part, "%s.%d", to, (int)getpid()) >= 0)
		out = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	code = out < 0 ? -errno : copy_all(from, out);
	if (out >= 0 && close(out) && !code)
		code = -errno;
	if (!code && rename(part, to))
		code = -errno;
	if (code && out >= 0)
		unlink(part);
	close(from);
	free(part);
	if (!code)
		return 0;
	errno = -code;
	return error_errno(error, "copying %s to %s", path, to);
}

/* Make the link by which a build-id is found. A broken link is replaced; with anew, any link. */
static int add_link(char *link, const char *target, bool anew, struct error *error)
{
	int code = make_parents(link, error);

	if (code || (!anew && !access(link, F_OK)))
		return code;
	unlink(link);
	if (symlink(target, link) && errno != EEXIST)
		return error_errno(error, "linking %s", link);
	return 0;
}

/* Add as DIR/name, where name begins with a slash; anew: replace an existing file. */
static int add_as(const char *path, const char *name, const uint8_t *id, size_t size, bool anew,
                  struct error *error)
{
	char *directory = cache_directory(), *file = NULL, *link = NULL, *target = NULL;
	char text[BUILDID_TEXT];
	int code = -ENOENT;

	buildid_text(text, id, size);
	if (directory && *name == '/' && size > 1 &&
	    asprintf(&file, "%s%s/%s/elf", directory, name, text) >= 0 &&
	    asprintf(&link, "%s/.build-id/%.2s/%s", directory, text, text + 2) >= 0 &&
	    asprintf(&target, "../..%s/%s", name, text) >= 0) {
		code = make_parents(file, error);
		if (!code && (anew || access(file, F_OK)))
			code = copy_file(path, file, error);
		if (!code)
			code = add_link(link, target, anew, error);
	}
	free(directory);
	free(file);
	free(link);
	free(target);
	return code;
}

int buildid_cache_add(const char *path, const uint8_t *id, size_t size, struct error *error)
{
	return add_as(path, path, id, size, false, error);
}

int buildid_cache_put(const char *path, const char *name, const uint8_t *id, size_t size,
                      struct error *error)
{
	char *slashed = NULL;
	int code = -ENOMEM;

	if (asprintf(&slashed, "/%s", name) >= 0)
		code = add_as(path, slashed, id, size, true, error);
	free(slashed);
	return code;
}

char *buildid_cache_find(const uint8_t *id, size_t size)
{
	char *directory = cache_directory(), *file = NULL;
	char text[BUILDID_TEXT];

	buildid_text(text, id, size);
	if (directory && size > 1 &&
	    asprintf(&file, "%s/.build-id/%.2s/%s/elf", directory, text, text + 2) < 0)
		file = NULL;
	free(directory);
	if (file && buildid_is_of(file, id, size))
		return file;
	free(file);
	return NULL;
}
