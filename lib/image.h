/* SPDX-License-Identifier: MIT */
/*
 * The image in memory, as linker.ld lays it out.
 */
#ifndef LIB_IMAGE_H
#define LIB_IMAGE_H

/*
 * The parts of the image; see linker.ld. Use only their addresses. Hidden, so that the code finds
 * them relative to itself and not through a table, which would need relocation.
 */
#pragma GCC visibility push(hidden)
extern char __image_start[], __image_end[];
extern char __text_start[], __text_end[];
/* the part of it with the built-in workloads' code */
extern char __workload_start[], __workload_end[];
extern char __rodata_start[], __rodata_end[];
extern char __data_start[], __data_end[]; /* variables, zeroed ones included */
/* the part of it with constants that contain addresses */
extern char __relro_start[], __relro_end[];
extern char __build_id_note_start[], __build_id_note_end[]; /* an ELF note, 20 bytes of SHA-1 */
#pragma GCC visibility pop

#endif
