/* SPDX-License-Identifier: MIT */
/* The machine's part of newlib's <dirent.h>: the types of POSIX's <dirent.h>, and a directory
 * entry. */
#ifndef _SYS_DIRENT_H
#define _SYS_DIRENT_H

#include <sys/cdefs.h>
#include <sys/types.h>

typedef struct __dirstream DIR;

struct dirent {
	ino_t d_ino;
	unsigned char d_type;
	char d_name[256]; /* NAME_MAX and a NUL */
};

#if __MISC_VISIBLE
/* As in st_mode; only directories and regular files occur */
#define DT_UNKNOWN   0
#define DT_FIFO      1
#define DT_CHR       2
#define DT_DIR       4
#define DT_BLK       6
#define DT_REG       8
#define DT_LNK       10
#define DT_SOCK      12
#define IFTODT(mode) (((mode)&0170000) >> 12)
#define DTTOIF(type) ((type) << 12)
#endif

#endif
