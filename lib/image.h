/* SPDX-License-Identifier: MIT */
/*
 * The image in memory, as linker.ld lays it out.
 */
#ifndef LIB_IMAGE_H
#define LIB_IMAGE_H

/*
 * Where the parts of the image lie; see linker.ld. Use their addresses only. Hidden, so that they
 * are found relative to the code and not through a table that itself wants relocation.
 */
#pragma GCC visibility push(hidden)
extern char __image_start[], __image_end[];
extern char __text_start[], __text_end[];
extern char __workload_start[], __workload_end[]; /* of that, the built-in workloads' code */
extern char __rodata_start[], __rodata_end[];
extern char __data_start[], __data_end[];   /* variables, zeroed ones included */
extern char __relro_start[], __relro_end[]; /* of these, constants that hold addresses */
extern char __build_id_note_start[], __build_id_note_end[]; /* an ELF note, 20 bytes of SHA-1 */
#pragma GCC visibility pop

#endif
