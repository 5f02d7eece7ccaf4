/* SPDX-License-Identifier: MIT */
#include "agent/volume/volume_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/volume/volume_where.h"
#include "lib/efi/efi.h"

#define BUFFER    (1U << 20) /* bytes per write: some firmware takes milliseconds for each write */
#define INFO_SIZE 1024U      /* bytes of a directory's entry: names have at most 255 characters */

struct volume_file {
	EFI_FILE *root, *file;
	char path[VOLUME_PATH_MAX],
	    current[VOLUME_PATH_MAX]; /* its final name, and its current one */
	uint8_t *buffer;
	size_t used;
	int failed; /* a negative errno */
	struct error failure;
};

union volume_info {
	EFI_FILE_INFO file;
	EFI_FILE_SYSTEM_INFO system;
	uint8_t bytes[INFO_SIZE];
};

/* ---- Firmware's status ---- */

static const struct {
	EFI_STATUS status;
	int code;
	const char *text;
} answers[] = {
	{ EFI_VOLUME_FULL, -ENOSPC, "the volume is full" },
	{ EFI_WRITE_PROTECTED, -EROFS, "the volume is read-only" },
	{ EFI_ACCESS_DENIED, -EROFS, "the volume or the file is read-only" },
	{ EFI_UNSUPPORTED, -EROFS, "the firmware does not write to this volume" },
	{ EFI_NO_MEDIA, -ENODEV, "the volume is gone" },
	{ EFI_MEDIA_CHANGED, -ENODEV, "the medium was changed" },
	{ EFI_NOT_FOUND, -ENODEV, "it is gone" },
	{ EFI_DEVICE_ERROR, -EIO, "the device reports an error, or was pulled out" },
	{ EFI_TIMEOUT, -EIO, "the device does not answer, or was pulled out" },
	{ EFI_NO_RESPONSE, -EIO, "the device does not answer, or was pulled out" },
	{ EFI_VOLUME_CORRUPTED, -EIO, "the file system is damaged" },
	{ EFI_OUT_OF_RESOURCES, -ENOMEM, "the firmware has no memory" },
	{ EFI_INVALID_PARAMETER, -EINVAL, "the volume does not accept this file name" },
};

static int volume_fail(struct error *error, EFI_STATUS status, const char *doing, const char *what)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (answers[i].status == status)
			return error_set(error, answers[i].code, "%s %s: %s", doing, what,
			                 answers[i].text);
	}
	return error_set(error, -EIO, "%s %s: the firmware reports %lu", doing, what,
	                 (unsigned long)(status & ~EFIERR(0)));
}

/* EDK2 retries a USB stick for half a minute before it reports that the stick is gone. So after one
 * such report the volume is not used again. */
static bool volume_is_gone(EFI_STATUS status)
{
	return status == EFI_NO_MEDIA || status == EFI_MEDIA_CHANGED ||
	       status == EFI_DEVICE_ERROR || status == EFI_TIMEOUT || status == EFI_NO_RESPONSE;
}

/* ---- Volume and names ---- */

static void volume_name(CHAR16 to[VOLUME_PATH_MAX], const char *path)
{
	size_t i = 0;

	for (; path[i] != 0 && i + 1 < VOLUME_PATH_MAX; i++)
		to[i] = (unsigned char)path[i];
	to[i] = 0;
}

static EFI_STATUS volume_open(EFI_FILE *root, EFI_FILE **file, const char *path, UINT64 mode,
                              UINT64 attributes)
{
	CHAR16 name[VOLUME_PATH_MAX];

	volume_name(name, path);
	return root->Open(root, file, name, mode, attributes);
}

/* Check that the volume answers, by reading a block that is not cached. A file's first write to a
 * stick that was pulled out is retried for longer, and keeps the firmware busy afterwards. */
static EFI_STATUS volume_answers(void)
{
	static _Alignas(EFI_PAGE_SIZE) uint8_t block[EFI_PAGE_SIZE];
	EFI_BLOCK_IO *device = efi_protocol(volume_handle(), (EFI_GUID)EFI_BLOCK_IO_PROTOCOL_GUID);

	if (!device || device->Media->BlockSize > sizeof(block))
		return EFI_SUCCESS;
	return device->ReadBlocks(device, device->Media->MediaId, 0, device->Media->BlockSize,
	                          block);
}

int volume_space(struct volume_space *space, struct error *error)
{
	EFI_GUID id = EFI_FILE_SYSTEM_INFO_ID;
	EFI_FILE *root = volume_root(error);
	union volume_info info;
	UINTN size = sizeof(info);
	EFI_STATUS status;

	if (!root)
		return -ENODEV;
	*space = (struct volume_space){ .free = UINT64_MAX };
	status = volume_answers();
	if (!volume_is_gone(status))
		status = root->GetInfo(root, &id, &size, &info);
	root->Close(root);
	if (volume_is_gone(status))
		return volume_fail(error, status, "looking at", "the volume");
	if (!EFI_ERROR(status)) {
		space->read_only = info.system.ReadOnly;
		space->free = info.system.FreeSpace;
	}
	return 0;
}

/* The number at the begin of a name, or 0. */
static unsigned volume_number_of(const CHAR16 *name)
{
	unsigned number = 0;

	for (; *name >= '0' && *name <= '9' && number < 100000000; name++)
		number = 10 * number + (*name - '0');
	return number;
}

int volume_next_number(unsigned *number, struct error *error)
{
	EFI_FILE *root = volume_root(error), *directory;
	union volume_info info;
	UINTN size = sizeof(info);
	EFI_STATUS status;

	*number = 1;
	if (!root)
		return -ENODEV;
	status = volume_open(root, &directory, "\\bareperf", EFI_FILE_MODE_READ, 0);
	if (EFI_ERROR(status)) {
		root->Close(root);
		return volume_is_gone(status)
		           ? volume_fail(error, status, "looking for", "\\bareperf")
		           : 0; /* the directory will be created */
	}
	while (!EFI_ERROR(directory->Read(directory, &size, &info)) && size != 0) {
		unsigned taken = volume_number_of(info.file.FileName);

		*number = taken >= *number ? taken + 1 : *number;
		size = sizeof(info);
	}
	directory->Close(directory);
	root->Close(root);
	return 0;
}

/* Returns 0 if no file has this path; -EEXIST if one has. */
static int volume_look(EFI_FILE *root, const char *path, struct error *error)
{
	EFI_FILE *file;
	EFI_STATUS status = volume_open(root, &file, path, EFI_FILE_MODE_READ, 0);

	if (volume_is_gone(status))
		return volume_fail(error, status, "looking for", path);
	if (EFI_ERROR(status))
		return 0;
	file->Close(file);
	return error_set(error, -EEXIST, "%s already exists", path);
}

int volume_is_free(const char *path, struct error *error)
{
	EFI_FILE *root = volume_root(error);
	int code = root ? volume_look(root, path, error) : -ENODEV;

	if (root)
		root->Close(root);
	return code;
}

/* ---- A file ---- */

static int volume_create_directories(EFI_FILE *root, const char *path, struct error *error)
{
	for (const char *end = strchr(path + 1, '\\'); end; end = strchr(end + 1, '\\')) {
		char directory[VOLUME_PATH_MAX];
		EFI_FILE *made;
		EFI_STATUS status;

		snprintf(directory, sizeof(directory), "%.*s", (int)(end - path), path);
		status =
		    volume_open(root, &made, directory,
		                EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
		                EFI_FILE_DIRECTORY);
		if (EFI_ERROR(status))
			return volume_fail(error, status, "creating", directory);
		made->Close(made);
	}
	return 0;
}

static EFI_STATUS volume_create_file(struct volume_file *file, const char *path)
{
	EFI_STATUS status =
	    volume_open(file->root, &file->file, path,
	                EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);

	if (EFI_ERROR(status))
		file->file = NULL;
	snprintf(file->current, sizeof(file->current), "%s", path);
	return status;
}

/* A file is renamed by SetInfo() (UEFI 2.10, 13.5.16); the name may be a path. */
static EFI_STATUS volume_rename_file(struct volume_file *file, const char *path)
{
	EFI_GUID id = EFI_FILE_INFO_ID;
	const char *name = strrchr(path, '\\') + 1;
	union volume_info info;
	UINTN size = sizeof(info);
	EFI_STATUS status = file->file->GetInfo(file->file, &id, &size, &info);

	if (EFI_ERROR(status))
		return status;
	volume_name(info.file.FileName, name);
	info.file.Size = SIZE_OF_EFI_FILE_INFO + (strlen(name) + 1) * sizeof(CHAR16);
	status = file->file->SetInfo(file->file, &id, info.file.Size, &info);
	if (!EFI_ERROR(status))
		snprintf(file->current, sizeof(file->current), "%s", path);
	return status;
}

void volume_with_ending(char to[VOLUME_PATH_MAX], const char *path, const char *ending)
{
	const char *dot = strrchr(path, '.');
	size_t length = dot && !strchr(dot, '\\') ? (size_t)(dot - path) : strlen(path);

	snprintf(to, VOLUME_PATH_MAX, "%.*s%s", (int)length, path, ending);
}

/* Choose the name under which the file is written; volume_file.h shows the names. */
static EFI_STATUS volume_begin_file(struct volume_file *file)
{
	char temporary[VOLUME_PATH_MAX], part[VOLUME_PATH_MAX];
	EFI_STATUS status;

	volume_with_ending(temporary, file->path, ".tmp");
	volume_with_ending(part, file->path, ".part");
	status = volume_create_file(file, temporary);
	if (EFI_ERROR(status) || !EFI_ERROR(volume_rename_file(file, part)))
		return status;
	file->file->Delete(file->file);
	return volume_create_file(file, file->path);
}

int volume_file_create(struct volume_file **to, const char *path, struct error *error)
{
	struct volume_file *file = calloc(1, sizeof(*file));
	EFI_STATUS status;
	int code;

	*to = NULL;
	if (file)
		file->buffer = malloc(BUFFER);
	if (!file || !file->buffer) {
		free(file);
		return error_set(error, -ENOMEM, "no memory for a file");
	}
	snprintf(file->path, sizeof(file->path), "%s", path);
	file->root = volume_root(error);
	code = file->root ? volume_create_directories(file->root, path, error) : -ENODEV;
	if (code == 0)
		code = volume_look(file->root, path, error);
	if (code == 0) {
		status = volume_begin_file(file);
		if (EFI_ERROR(status))
			code = volume_fail(error, status, "creating", path);
	}
	if (code != 0)
		volume_file_abandon(file);
	else
		*to = file;
	return code;
}

/* Write the buffer. A full volume may write only a part and report success. */
static int volume_flush(struct volume_file *file)
{
	UINTN size = file->used;
	EFI_STATUS status;

	if (file->failed != 0 || file->used == 0)
		return file->failed;
	status = file->file->Write(file->file, &size, file->buffer);
	if (!EFI_ERROR(status) && size != file->used)
		status = EFI_VOLUME_FULL;
	if (EFI_ERROR(status))
		file->failed = volume_fail(&file->failure, status, "writing", file->path);
	file->used = 0;
	return file->failed;
}

int volume_file_append(struct volume_file *file, const void *bytes, size_t size,
                       struct error *error)
{
	const uint8_t *from = bytes;

	while (size != 0 && file->failed == 0) {
		size_t room = BUFFER - file->used, part = size < room ? size : room;

		memcpy(file->buffer + file->used, from, part);
		file->used += part;
		from += part;
		size -= part;
		if (file->used == BUFFER)
			volume_flush(file);
	}
	if (file->failed != 0)
		*error = file->failure;
	return file->failed;
}

static void volume_close(struct volume_file *file)
{
	if (file->file)
		file->file->Close(file->file);
	if (file->root)
		file->root->Close(file->root);
	free(file->buffer);
	free(file);
}

int volume_file_finish(struct volume_file *file, struct error *error)
{
	EFI_STATUS status = EFI_SUCCESS;
	int code = volume_flush(file);

	if (code == 0)
		status = file->file->Flush(file->file);
	if (code == 0 && !EFI_ERROR(status) && strcmp(file->current, file->path) != 0)
		status = volume_rename_file(file, file->path);
	if (code == 0 && !EFI_ERROR(status))
		status = file->file->Flush(file->file);
	if (code == 0 && EFI_ERROR(status))
		code = volume_fail(&file->failure, status, "finishing", file->path);
	if (code != 0) {
		*error = file->failure;
		volume_file_abandon(file);
		return code;
	}
	volume_close(file);
	return 0;
}

void volume_file_abandon(struct volume_file *file)
{
	if (!file)
		return;
	if (file->file)
		file->file->Delete(file->file); /* it closes the file in each case */
	file->file = NULL;
	volume_close(file);
}
