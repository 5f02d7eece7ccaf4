/* SPDX-License-Identifier: MIT */
/* Services that our own shell lacks (agent/shell/shell_own.h). Thread. */
#ifndef AGENT_SHELL_SHELL_REFUSED_H
#define AGENT_SHELL_SHELL_REFUSED_H

#include <efi.h>
#include <efishell.h>

#include "lib/efi/efi.h"

/* Set the protocol's remaining functions to ones that refuse, so that none is NULL. */
void shell_refuse_rest(EFI_SHELL_PROTOCOL *shell);

#endif
