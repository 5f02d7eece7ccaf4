/* SPDX-License-Identifier: MIT */
#include "agent/shell/shell_refused.h"

/* ---- Commands ---- */

static EFI_STATUS EFIAPI shell_refused_execute(EFI_HANDLE *parent, CHAR16 *command,
                                               CHAR16 **environment, EFI_STATUS *status)
{
	(void)parent, (void)command, (void)environment, (void)status;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI shell_refused_help(const CHAR16 *command, const CHAR16 *sections,
                                            CHAR16 **text)
{
	(void)command, (void)sections, (void)text;
	return EFI_UNSUPPORTED;
}

static const CHAR16 *EFIAPI shell_refused_get_alias(const CHAR16 *alias, BOOLEAN *is_volatile)
{
	(void)alias, (void)is_volatile;
	return NULL;
}

static EFI_STATUS EFIAPI shell_refused_set_alias(const CHAR16 *command, const CHAR16 *alias,
                                                 BOOLEAN replace, BOOLEAN is_volatile)
{
	(void)command, (void)alias, (void)replace, (void)is_volatile;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI shell_refused_set_map(const EFI_DEVICE_PATH *path, const CHAR16 *map)
{
	(void)path, (void)map;
	return EFI_UNSUPPORTED;
}

/* ---- Its own state ---- */

static BOOLEAN EFIAPI shell_refused_is_batch(void)
{
	return FALSE;
}

/* Our shell is the root shell: no other shell started it. */
static BOOLEAN EFIAPI shell_refused_is_root(void)
{
	return TRUE;
}

static void EFIAPI shell_refused_page_break(void)
{
}

static BOOLEAN EFIAPI shell_refused_get_page_break(void)
{
	return FALSE;
}

/* ---- Names ---- */

static EFI_STATUS EFIAPI shell_refused_device_name(EFI_HANDLE device,
                                                   EFI_SHELL_DEVICE_NAME_FLAGS flags,
                                                   CHAR8 *language, CHAR16 **name)
{
	(void)device, (void)flags, (void)language, (void)name;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI shell_refused_register_name(const EFI_GUID *guid, const CHAR16 *name)
{
	(void)guid, (void)name;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI shell_refused_guid_name(const EFI_GUID *guid, const CHAR16 **name)
{
	(void)guid, (void)name;
	return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI shell_refused_guid_of_name(const CHAR16 *name, EFI_GUID *guid)
{
	(void)name, (void)guid;
	return EFI_NOT_FOUND;
}

void shell_refuse_rest(EFI_SHELL_PROTOCOL *shell)
{
	shell->Execute = shell_refused_execute;
	shell->GetHelpText = shell_refused_help;
	shell->GetAlias = shell_refused_get_alias;
	shell->SetAlias = shell_refused_set_alias;
	shell->SetMap = shell_refused_set_map;
	shell->BatchIsActive = shell_refused_is_batch;
	shell->IsRootShell = shell_refused_is_root;
	shell->EnablePageBreak = shell_refused_page_break;
	shell->DisablePageBreak = shell_refused_page_break;
	shell->GetPageBreak = shell_refused_get_page_break;
	shell->GetDeviceName = shell_refused_device_name;
	shell->RegisterGuidName = shell_refused_register_name;
	shell->GetGuidName = shell_refused_guid_name;
	shell->GetGuidFromName = shell_refused_guid_of_name;
}
