/* SPDX-License-Identifier: MIT */
/*
 * The command line out of foreign bytes. Pure functions: no firmware service, no global state;
 * the unit tests call them on the host.
 */
#ifndef AGENT_INPUT_LOADOPTIONS_H
#define AGENT_INPUT_LOADOPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * LoadOptions (UEFI 2.10, 9.1: "a pointer to the image's binary load options") as ASCII. Boot
 * managers put anything there, so it is taken only if it is UCS-2 text of printable ASCII up to
 * a NUL or the end. Blanks around it go; so does a first word that names an .efi file (some
 * shells pass argv[0]), and a last word "initrd=initrd" (edk2's QEMU loader adds it).
 *
 * Returns the length, 0 for an empty line; -EINVAL if it is no text, -E2BIG if it does not fit
 * capacity bytes with its NUL (capacity is at least 1). On an error text is what stands before its
 * place.
 */
int loadoptions_to_text(const void *options, size_t size, char *text, size_t capacity);

/* Is the first word of such text an .efi file's name? Then somebody has typed it, or a script, and
 * what follows was to be a command. Any bytes. */
bool loadoptions_name_image(const void *options, size_t size);

/* Do they begin with what only a kernel's parameters have, a value ("root=/dev/sda1")? U-Boot hands
 * its bootargs to every image. */
bool loadoptions_are_parameters(const char *text);

/*
 * The first line of a configuration file that is neither blank nor a comment ('#' first).
 * ASCII, or UCS-2 with a byte order mark (the UEFI shell's editor writes that); a UTF-8 mark and
 * carriage returns are skipped. Returns and errors as above; 0 also for a file of comments only.
 */
int config_to_text(const void *file, size_t size, char *text, size_t capacity);

#endif
