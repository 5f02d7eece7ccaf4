/* SPDX-License-Identifier: MIT */
/* POSIX's stream functions that newlib has under other names, or not at all. */
#include <stdio.h>
#include <sys/lock.h>

ssize_t getdelim(char **restrict line, size_t *restrict size, int end, FILE *restrict stream);
ssize_t getline(char **restrict line, size_t *restrict size, FILE *restrict stream);

ssize_t getdelim(char **restrict line, size_t *restrict size, int end, FILE *restrict stream)
{
	return __getdelim(line, size, end, stream);
}

ssize_t getline(char **restrict line, size_t *restrict size, FILE *restrict stream)
{
	return __getdelim(line, size, '\n', stream);
}

void flockfile(FILE *stream)
{
	__retarget_lock_acquire_recursive(stream->_lock);
}

int ftrylockfile(FILE *stream)
{
	return __retarget_lock_try_acquire_recursive(stream->_lock) ? 0 : -1;
}

void funlockfile(FILE *stream)
{
	__retarget_lock_release_recursive(stream->_lock);
}
