/* SPDX-License-Identifier: MIT */
/* UEFI 2.10, 8.2 "Variable Services", 8.3 "Time Services", 8.5.2. */
#include "agent/bench/services_case.h"

#define OF_THE_RUN (EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)
#define LARGE      1024U

/* Vendor and name of a volatile variable, which exists only during a case. */
static EFI_GUID vendor = {
	0x2f0c6a3e, 0x90d4, 0x4c55, { 0x8b, 0x71, 0x6e, 0x1d, 0x0f, 0x29, 0xc4, 0x18 }
};
static CHAR16 name[] = u"BareperfBench";
static EFI_GUID global = EFI_GLOBAL_VARIABLE;
static CHAR16 existing[] = u"PlatformLang";

static EFI_STATUS services_set_variable(uint64_t size)
{
	return efi_system->RuntimeServices->SetVariable(name, &vendor, OF_THE_RUN, size,
	                                                services_room);
}

static EFI_STATUS services_delete_variable(uint64_t unused)
{
	(void)unused;
	return efi_system->RuntimeServices->SetVariable(name, &vendor, OF_THE_RUN, 0, NULL);
}

/* Other bytes than the variable has: the firmware may skip an equal value. */
static EFI_STATUS services_change_variable(uint64_t size)
{
	services_room[0]++;
	return efi_system->RuntimeServices->SetVariable(name, &vendor, OF_THE_RUN, size,
	                                                services_room);
}

static EFI_STATUS services_get_variable(uint64_t unused)
{
	UINTN size = SERVICES_HALF;
	UINT32 attributes;

	(void)unused;
	return efi_system->RuntimeServices->GetVariable(name, &vendor, &attributes, &size,
	                                                services_room + SERVICES_HALF);
}

static EFI_STATUS services_get_existing(uint64_t unused)
{
	UINTN size = SERVICES_HALF;

	(void)unused;
	return efi_system->RuntimeServices->GetVariable(existing, &global, NULL, &size,
	                                                services_room + SERVICES_HALF);
}

static EFI_STATUS services_next_name(uint64_t unused)
{
	UINTN size = SERVICES_HALF;
	EFI_GUID guid = { 0 };

	(void)unused;
	*(CHAR16 *)(void *)services_room = 0; /* the first variable */
	return efi_system->RuntimeServices->GetNextVariableName(
	    &size, (CHAR16 *)(void *)services_room, &guid);
}

static EFI_STATUS services_query_variables(uint64_t unused)
{
	UINT64 most, left, largest;

	(void)unused;
	return efi_system->RuntimeServices->QueryVariableInfo(OF_THE_RUN, &most, &left, &largest);
}

static EFI_STATUS services_get_time(uint64_t unused)
{
	EFI_TIME now;

	(void)unused;
	return efi_system->RuntimeServices->GetTime(&now, NULL);
}

/* clang-format off */
const struct services_case services_of_runtime[] = {
	{ "GetVariable", "volatile, 64 B", 64, services_set_variable, services_get_variable, services_delete_variable, 0 },
	{ "GetVariable", "volatile, 1 KiB", LARGE, services_set_variable, services_get_variable, services_delete_variable, 0 },
	{ "GetVariable", "PlatformLang", 0, NULL, services_get_existing, NULL, 0 },
	{ "GetVariable", "not found", 0, NULL, services_get_variable, NULL, EFI_NOT_FOUND },
	{ "SetVariable", "volatile, new, 64 B", 64, NULL, services_set_variable, services_delete_variable, 0 },
	{ "SetVariable", "volatile, new, 1 KiB", LARGE, NULL, services_set_variable, services_delete_variable, 0 },
	{ "SetVariable", "volatile, change, 64 B", 64, services_set_variable, services_change_variable, services_delete_variable, 0 },
	{ "SetVariable", "volatile, delete", 64, services_set_variable, services_delete_variable, NULL, 0 },
	{ "GetNextVariableName", "first", 0, NULL, services_next_name, NULL, 0 },
	{ "QueryVariableInfo", "volatile", 0, NULL, services_query_variables, NULL, 0 },
	{ "GetTime", "", 0, NULL, services_get_time, NULL, 0 },
	{ 0 },
};
