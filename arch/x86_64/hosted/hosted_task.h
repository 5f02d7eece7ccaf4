/* SPDX-License-Identifier: MIT */
/*
 * The stack that NMIs come on while the firmware goes on. EDK2 keeps data below its stack pointer
 * where it returns from an interrupt, as it may with interrupts masked (ExceptionHandlerAsm.nasm):
 * an NMI on that stack would overwrite where it goes on. So TR names a task state segment of ours.
 */
#ifndef ARCH_X86_64_HOSTED_HOSTED_TASK_H
#define ARCH_X86_64_HOSTED_HOSTED_TASK_H

#include <stdbool.h>

#define HOSTED_TASK_IST 7ULL /* of an NMI's gate */

/* Have it; false: the firmware uses that entry of its own segment. Thread; no NMI may come. */
bool hosted_task_begin(void);

/* As it was; TR, where it named nothing, keeps a selector that nobody can take for one of his own.
 * No gate may need it any more. */
void hosted_task_end(void);

#endif
