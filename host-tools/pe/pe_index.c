/* SPDX-License-Identifier: MIT */
#include "host-tools/pe/pe_index.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/pe/pe_source.h"
#include "host-tools/util/array.h"

/* 0, ENOMEM, ENOEXEC: neither ELF nor PE, or the errno of opening the file. */
static int add_file(struct pe_index *index, const char *path)
{
	struct pe_indexed *indexed;
	const char *slash = strrchr(path, '/');
	struct pe_source source;
	bool added = false;

	if (!pe_source_open(&source, path))
		return access(path, R_OK) ? errno : ENOEXEC;
	if (ARRAY_ROOM(index->all, index->count)) {
		indexed = &index->all[index->count];
		*indexed = (struct pe_indexed){ .path = strdup(path),
			                        .directory = slash ? (size_t)(slash - path) + 1 : 0,
			                        .is_pe = source.is_pe };
		pe_module_name(path, strlen(path), indexed->name, sizeof(indexed->name));
		if (source.is_pe)
			indexed->is_hashed = pe_build_id(&source.image, indexed->id) &&
			                     pe_is_hashed(&source.image);
		added = indexed->path;
		index->count += added;
	}
	pe_source_close(&source);
	return added ? 0 : ENOMEM;
}

/* Entries below the named directory that cannot be read, or are neither an image nor an ELF file,
 * are skipped. */
static int add_entry(struct pe_index *index, const FTSENT *entry)
{
	bool named = entry->fts_level == FTS_ROOTLEVEL;
	int code = 0;

	if (entry->fts_info == FTS_F)
		code = add_file(index, entry->fts_accpath);
	else if (entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR)
		code = entry->fts_errno;
	return named || code == ENOMEM ? code : 0;
}

bool pe_index_add(struct pe_index *index, const char *path)
{
	char *const paths[] = { (char *)(uintptr_t)path, NULL };
	FTS *walk = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	int code = walk ? 0 : errno;

	while (!code) {
		errno = 0; /* fts_read() does not change errno at the end */
		entry = fts_read(walk);
		if (!entry)
			break;
		code = add_entry(index, entry);
	}
	if (!code)
		code = errno;
	if (walk)
		fts_close(walk);
	errno = code;
	return !code;
}

void pe_index_free(struct pe_index *index)
{
	for (size_t i = 0; i < index->count; i++)
		free(index->all[i].path);
	free(index->all);
	*index = (struct pe_index){ 0 };
}
