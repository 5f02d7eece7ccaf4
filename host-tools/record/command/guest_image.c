/* SPDX-License-Identifier: MIT */
#include "host-tools/record/command/guest_image.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/session/images.h"

bool guest_image_place(const char *arch, unsigned i, char path[PATH_MAX])
{
	static const char *const places[] = { "../", "", "../lib/bareperf/" };
	char directory[PATH_MAX];
	int length;

	if (i >= sizeof(places) / sizeof(places[0]))
		return false;
	tool_directory(directory);
	length = snprintf(path, PATH_MAX, "%s/%s%s/bareperf.efi", directory, places[i], arch);
	if (length <= 0 || length >= PATH_MAX)
		*path = 0;
	return true;
}

/* The note may be anywhere in the file; no other file has these 20 bytes. */
static bool has_build_id(const char *path, const struct tr_image *image)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found = false;
	struct stat about;
	void *bytes;

	if (fd < 0)
		return false;
	if (!fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size) {
		bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			found = memmem(bytes, (size_t)about.st_size, image->build_id,
			               image->build_id_size);
			munmap(bytes, (size_t)about.st_size);
		}
	}
	close(fd);
	return found;
}

bool guest_image_of(const struct region *region, const char *named, char path[PATH_MAX])
{
	const struct tr_image *image = region->images;

	if (!region->header.images.count || !image->build_id_size)
		return false;
	if (named) {
		snprintf(path, PATH_MAX, "%s", named);
		return has_build_id(path, image);
	}
	for (unsigned i = 0; guest_image_place(region_arch_name(region->header.machine), i, path);
	     i++) {
		if (has_build_id(path, image))
			return true;
	}
	return false;
}
