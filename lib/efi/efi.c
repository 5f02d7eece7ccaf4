/* SPDX-License-Identifier: MIT */
#include "lib/efi/efi.h"

#include <string.h>

#include "arch/takeover.h"
#include "lib/console/console.h"
#include "lib/platform.h"

EFI_HANDLE efi_image;
EFI_SYSTEM_TABLE *efi_system;
bool efi_boot_services;

static struct boot_entry entry;

const struct boot_entry *boot_entry(void)
{
	return &entry;
}

uint64_t boot_nonce(void)
{
	return entry.cycles ^ entry.epoch << 32;
}

/* ConOut as a console sink: CR LF line ends, UCS-2. */
static void efi_write_conout(const char *text, size_t length)
{
	CHAR16 line[130];
	size_t used = 0;

	if (!efi_boot_services)
		return;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n')
			line[used++] = '\r';
		line[used++] = (unsigned char)text[i];
		if (used >= 128 || i + 1 == length) {
			line[used] = 0;
			efi_system->ConOut->OutputString(efi_system->ConOut, line);
			used = 0;
		}
	}
}

uint64_t efi_time_to_epoch(const EFI_TIME *time)
{
	unsigned year = time->Year, month = time->Month;
	uint64_t days;
	int64_t seconds;

	if (year < 1970 || year > 9999 || month < 1 || month > 12 || time->Day < 1 ||
	    time->Day > 31 || time->Hour > 23 || time->Minute > 59 || time->Second > 59)
		return 0;
	/* Count years from March, so that the leap day comes last. */
	if (month < 3) {
		month += 12;
		year--;
	}
	days = 365ULL * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 +
	       time->Day - 1 - 719468;
	seconds =
	    (int64_t)(days * 86400 + time->Hour * 3600ULL + time->Minute * 60ULL + time->Second);
	if (time->TimeZone != EFI_UNSPECIFIED_TIMEZONE)
		seconds += time->TimeZone * 60; /* UTC = local time + TimeZone; UEFI 2.10, 8.3 */
	return seconds > 0 ? (uint64_t)seconds : 0;
}

void efi_begin(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	EFI_TIME now;

	entry.cycles = arch_cycles();
	arch_begin();
	efi_image = image;
	efi_system = system;
	efi_boot_services = true;
	if (system->ConOut)
		console_add_sink(efi_write_conout);
	system->BootServices->SetWatchdogTimer(0, 0, 0, NULL);
	if (!EFI_ERROR(system->RuntimeServices->GetTime(&now, NULL)))
		entry.epoch = efi_time_to_epoch(&now);
}

void *efi_locate(EFI_GUID protocol)
{
	void *interface = NULL;

	if (EFI_ERROR(efi_system->BootServices->LocateProtocol(&protocol, NULL, &interface)))
		return NULL;
	return interface;
}

void *efi_protocol(EFI_HANDLE handle, EFI_GUID protocol)
{
	void *interface = NULL;

	if (EFI_ERROR(efi_system->BootServices->HandleProtocol(handle, &protocol, &interface)))
		return NULL;
	return interface;
}

bool efi_is_driver(void)
{
	EFI_LOADED_IMAGE *self = efi_protocol(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);

	return self && self->ImageCodeType == EfiBootServicesCode;
}

void efi_services_changed(void)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	UINT32 sum = 0;

	services->Hdr.CRC32 = 0;
	if (!EFI_ERROR(services->CalculateCrc32(services, services->Hdr.HeaderSize, &sum)))
		services->Hdr.CRC32 = sum;
}

const void *efi_configuration_table(EFI_GUID guid)
{
	for (UINTN i = 0; i < efi_system->NumberOfTableEntries; i++)
		if (memcmp(&efi_system->ConfigurationTable[i].VendorGuid, &guid, sizeof(guid)) == 0)
			return efi_system->ConfigurationTable[i].VendorTable;
	return NULL;
}
