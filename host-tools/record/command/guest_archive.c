/* SPDX-License-Identifier: MIT */
/* A program and its files in one initrd. */
#include "host-tools/record/command/guest_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/util/blob.h"

#define REGULAR (S_IFREG | 0644U)

bool guest_has_files(const struct guest *guest)
{
	return guest->file_count || guest->input;
}

static void archive_pad(struct blob *archive)
{
	blob_add(archive, "\0\0\0", -archive->size & 3);
}

/* cpio's newc format: inode, mode, uid, gid, links, mtime, size, devices, length of name, check. */
static void archive_header(struct blob *archive, const char *name, const struct stat *about)
{
	blob_printf(archive, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", 0U,
	            about ? REGULAR : 0, 0U, 0U, 1U, about ? (unsigned)about->st_mtime : 0,
	            about ? (unsigned)about->st_size : 0, 0U, 0U, 0U, 0U,
	            (unsigned)strlen(name) + 1, 0U);
	blob_add(archive, name, strlen(name) + 1);
	archive_pad(archive);
}

static int archive_file(struct blob *archive, const char *path, const char *name,
                        struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), code = 0;
	struct stat about;
	void *bytes;

	if (fd < 0)
		return error_errno(error, "file %s", path);
	if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size >= UINT32_MAX) {
		close(fd);
		return error_set(error, -EINVAL,
		                 "file %s cannot be handed over: it is no file, or one of 4 GiB",
		                 path);
	}
	archive_header(archive, name, &about);
	if (about.st_size) {
		bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes == MAP_FAILED) {
			code = error_errno(error, "reading %s", path);
		} else {
			blob_add(archive, bytes, (size_t)about.st_size);
			munmap(bytes, (size_t)about.st_size);
		}
	}
	close(fd);
	archive_pad(archive);
	return code;
}

static int archive_save(const struct blob *archive, struct error *error)
{
	int fd = memfd_create("bareperf-initrd", MFD_CLOEXEC);

	if (fd < 0)
		return error_errno(error, "making an archive of the program's files");
	for (size_t at = 0; at < archive->size;) {
		ssize_t written = write(fd, archive->bytes + at, archive->size - at);

		if (written < 0) {
			int code = error_errno(error, "making an archive of the program's files");

			close(fd);
			return code;
		}
		at += (size_t)written;
	}
	return fd;
}

int guest_archive(const struct guest *guest, struct error *error)
{
	struct blob archive = { 0 };
	int code = archive_file(&archive, guest->payload, "payload.elf", error);

	if (!code && guest->input)
		code = archive_file(&archive, guest->input, "dev/stdin", error);
	for (unsigned i = 0; i < guest->file_count && !code; i++)
		code = archive_file(&archive, guest->files[i], guest->files[i], error);
	archive_header(&archive, "TRAILER!!!", NULL);
	if (!code && archive.failed)
		code = error_set(error, -ENOMEM, "no memory for an archive of the program's files");
	if (!code)
		code = archive_save(&archive, error);
	blob_free(&archive);
	return code;
}
