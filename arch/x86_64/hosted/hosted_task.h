/* SPDX-License-Identifier: MIT */
/*
 * The stack for NMIs in hosted mode. When EDK2 returns from an interrupt it keeps data below its
 * stack pointer, which is allowed with interrupts masked (ExceptionHandlerAsm.nasm). An NMI on that
 * stack would overwrite the data. So TR is loaded with a task state segment of ours, which names
 * another stack.
 */
#ifndef ARCH_X86_64_HOSTED_HOSTED_TASK_H
#define ARCH_X86_64_HOSTED_HOSTED_TASK_H

#include <stdbool.h>

#define HOSTED_TASK_IST 7ULL /* IST index in an NMI's gate */

/* Load our segment; false: the firmware uses that IST entry itself. Thread; no NMI may come. */
bool hosted_task_begin(void);

/* Restore TR. If it named no segment, it keeps a selector that the firmware cannot take for one of
 * its own. No gate may use our IST entry any more. */
void hosted_task_end(void);

#endif
