/* SPDX-License-Identifier: MIT */
/*
 * Extracts the command line from foreign bytes. Pure functions: no firmware service, no global
 * state; the unit tests call them on the host.
 */
#ifndef AGENT_INPUT_LOADOPTIONS_H
#define AGENT_INPUT_LOADOPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Convert LoadOptions (UEFI 2.10, 9.1: "a pointer to the image's binary load options") to ASCII.
 * Boot managers put any bytes there, so only UCS-2 text of printable ASCII, up to a NUL or the end,
 * is accepted. Blanks around it are removed; so is a first word that names an .efi file (some
 * shells pass argv[0]), and a last word "initrd=initrd" (edk2's QEMU loader adds it).
 *
 * Returns the length, 0 for an empty line; -EINVAL if it is no text, -E2BIG if it does not fit
 * capacity bytes with its NUL (capacity >= 1). On an error text holds the part before the bad
 * place.
 */
int loadoptions_to_text(const void *options, size_t size, char *text, size_t capacity);

/* Returns whether the first word of such text is an .efi file's name. Then a shell or a script has
 * passed on the text, and the rest is meant as a command. Any bytes. */
bool loadoptions_name_image(const void *options, size_t size);

/* Returns whether the text begins with a kernel parameter that has a value, such as
 * "root=/dev/sda1". U-Boot passes its bootargs to each image. */
bool loadoptions_are_parameters(const char *text);

/*
 * The first line of a configuration file that is neither blank nor a comment ('#' first). ASCII, or
 * UCS-2 with a byte order mark (the UEFI shell's editor writes that); a UTF-8 mark and carriage
 * returns are skipped. Returns values and errors as loadoptions_to_text(); 0 also for a file of
 * comments only.
 */
int config_to_text(const void *file, size_t size, char *text, size_t capacity);

#endif
