/* SPDX-License-Identifier: MIT */
/*
 * A UEFI application to be recorded. Its load options are words that select its actions. Without
 * load options, as for a boot entry of the shell, the words are "clock"; for a driver they are
 * DRIVER_WORDS.
 *
 *	low=MS		spin at TPL_APPLICATION, in spin_at_application()
 *	key		the same, until a key is pressed
 *	high=MS		spin at TPL_HIGH_LEVEL, in spin_at_high_level()
 *	below=MS	spin at TPL_HIGH_LEVEL, and report whether memory below the stack stays
 *	map=MS		spin with own page tables, in spin_elsewhere()
 *	stall=MS	call Stall(), in stall_at_application()
 *	tick=MS		count a timer event's notifications for so long, and print the count
 *	run=FILE	load and start FILE of the own volume, with the options low=200
 *	with=OPTIONS	run= passes these options; a + in them is a blank
 *	load=FILE	load FILE of the own volume
 *	unload		unload that file
 *	keep		exit= and unload call the firmware by the pointers of this moment
 *	before-exit	exit= signals the event group that newer firmware signals there, and prints
 *			whether the CPU masks the same exceptions afterwards
 *	announced	call ExitBootServices() with a wrong key, and print whether the
 *			firmware itself has signalled that group
 *	rights		print the rights of the stack, the pool, the code and the data
 *	exit=MS		call ExitBootServices(), spin, and switch the machine off
 *	leave=N		leave by Exit(), with status N
 *	idt=FILE	run=, during which a copy of the interrupt descriptor table is loaded
 *			(x86_64); print how many NMIs came by the copy's own gate
 *	code=VALUE	report this progress code, of instance 300
 *	error=VALUE	report this error
 *	high-code=VALUE	high= reports this progress code first, at its level
 *	fpdt		install an FPDT
 *	coreboot=AT	put a coreboot table at this address, as coreboot leaves one
 *	clock		print the clock's cycles, for a test that counts from the machine's start
 *	status=N	return N
 */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "boot/start.h"
#include "descriptors.h"
#include "elsewhere.h"
#include "lib/efi/efi.h"
#include "lib/efi/efi_file_path.h"
#include "lib/print.h"
#include "tests/firmware/rights.h"

#define TICK_100NS  100000U /* 10 ms */
#define WORDS_BELOW 16
#define INSTANCE    300U

#define DRIVER_WORDS                                                                              \
	"code=0x03050002 low=300 high-code=0x03058300 high=300 error=0x03050009 code=0x03050003 " \
	"stall=300 fpdt"

/* EFI_STATUS_CODE_PROTOCOL: PI 1.7, volume 2; GNU-EFI does not declare it. */
#define STATUS_CODE_GUID                                               \
	{                                                              \
		0xd2b2b828, 0x0826, 0x48a7,                            \
		{                                                      \
			0xb3, 0xdf, 0x98, 0x3c, 0x00, 0x60, 0x24, 0xf0 \
		}                                                      \
	}
/* UEFI 2.10, 20.2; GNU-EFI does not declare it. Functions that are not called have no type. */
#define ACPI_TABLE_PROTOCOL_GUID                                       \
	{                                                              \
		0xffe06bdd, 0x6107, 0x46a6,                            \
		{                                                      \
			0x7b, 0xb2, 0x5a, 0x9c, 0x7e, 0xc5, 0x27, 0x5c \
		}                                                      \
	}
struct acpi_table {
	EFI_STATUS(EFIAPI *install)
	(struct acpi_table *protocol, const VOID *table, UINTN size, UINTN *key);
	VOID *uninstall;
};

/* EFI_EVENT_GROUP_BEFORE_EXIT_BOOT_SERVICES: UEFI 2.9, 7.1; GNU-EFI does not declare it. */
#define BEFORE_EXIT_GUID                                               \
	{                                                              \
		0x8be0e274, 0x3970, 0x4b44,                            \
		{                                                      \
			0x80, 0xc5, 0x1a, 0xb9, 0x50, 0x2f, 0x3b, 0xfc \
		}                                                      \
	}

#define PROGRESS 0x00000001U
#define MAJOR    0x80000002U
struct status_code {
	EFI_STATUS(EFIAPI *report)
	(UINT32 type, UINT32 value, UINT32 instance, const EFI_GUID *caller, const VOID *data);
};

static uint64_t cycles_of_ms;
static uint64_t high_code;                    /* 0: none */
static const struct status_code *status_code; /* NULL: there is none */
static volatile unsigned ticks;
static CHAR16 run_options[256] = u"low=200"; /* run='s */
static EFI_EXIT_BOOT_SERVICES exit_kept;     /* the pointer that `keep` saves, or NULL */
static EFI_IMAGE_UNLOAD unload_kept;
static EFI_HANDLE loaded;     /* load='s */
static EFI_EVENT before_exit; /* NULL: no event */

static void say(const char *format, ...)
{
	char text[256];
	CHAR16 wide[256];
	va_list arguments;
	size_t i;

	va_start(arguments, format);
	print_text_v(text, sizeof(text), format, arguments);
	va_end(arguments);
	for (i = 0; text[i]; i++)
		wide[i] = (unsigned char)text[i];
	wide[i] = 0;
	efi_system->ConOut->OutputString(efi_system->ConOut, wide);
}

static __attribute__((noinline)) void spin_at_application(uint64_t ms)
{
	for (uint64_t from = arch_cycles(); arch_cycles() - from < ms * cycles_of_ms;)
		__asm__ volatile("");
}

static void spin_until_key(void)
{
	EFI_INPUT_KEY key;

	while (EFI_ERROR(efi_system->ConIn->ReadKeyStroke(efi_system->ConIn, &key)))
		spin_at_application(10);
}

static void report(UINT32 type, uint64_t value)
{
	if (status_code && value)
		status_code->report(type, (UINT32)value, INSTANCE, NULL, NULL);
}

static __attribute__((noinline)) void spin_at_high_level(uint64_t ms)
{
	EFI_TPL before = efi_system->BootServices->RaiseTPL(TPL_HIGH_LEVEL);

	report(PROGRESS, high_code);
	for (uint64_t from = arch_cycles(); arch_cycles() - from < ms * cycles_of_ms;)
		__asm__ volatile("");
	efi_system->BootServices->RestoreTPL(before);
}

static __attribute__((noinline)) void stall_at_application(uint64_t ms)
{
	efi_system->BootServices->Stall(ms * 1000);
	__asm__ volatile(""); /* prevents a tail call, which would remove this function's frame */
}

/* A function without calls: the stack ends here. */
static __attribute__((noinline)) bool spin_on_words_below(uint64_t ms)
{
	volatile uint64_t *sp = stack_pointer();
	bool stay = true;

	for (int i = 1; i <= WORDS_BELOW; i++)
		sp[-i] = ~(uint64_t)i;
	for (uint64_t from = arch_cycles(); arch_cycles() - from < ms * cycles_of_ms;)
		for (int i = 1; i <= WORDS_BELOW; i++)
			stay &= sp[-i] == ~(uint64_t)i;
	return stay;
}

static void spin_on_stack(uint64_t ms)
{
	EFI_TPL before = efi_system->BootServices->RaiseTPL(TPL_HIGH_LEVEL);
	bool stay = spin_on_words_below(ms);

	efi_system->BootServices->RestoreTPL(before);
	say("memory below the stack pointer %s\r\n", stay ? "stays" : "is overwritten");
}

static __attribute__((noinline, no_icf)) void spin_elsewhere(uint64_t ms)
{
	for (uint64_t from = arch_cycles(); arch_cycles() - from < ms * cycles_of_ms;)
		__asm__ volatile("");
}

static void spin_in_other_map(uint64_t ms)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_PHYSICAL_ADDRESS pages;
	EFI_TPL before;

	if (EFI_ERROR(services->AllocatePages(AllocateAnyPages, EfiLoaderData, 2, &pages)))
		return;
	before = services->RaiseTPL(TPL_HIGH_LEVEL);
	call_elsewhere((uint64_t *)pages, spin_elsewhere, ms);
	services->RestoreTPL(before);
	services->FreePages(pages, 2);
}

static VOID EFIAPI on_tick(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
	ticks++;
}

static void count_ticks(uint64_t ms)
{
	EFI_EVENT event;

	efi_system->BootServices->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_tick,
	                                      NULL, &event);
	efi_system->BootServices->SetTimer(event, TimerPeriodic, TICK_100NS);
	efi_system->BootServices->Stall(ms * 1000);
	efi_system->BootServices->CloseEvent(event);
	say("ticked %u times\r\n", ticks);
}

static void set_run_options(const char *words)
{
	size_t length = strlen(words);

	if (length >= sizeof(run_options) / sizeof(*run_options))
		return;
	for (size_t i = 0; i <= length; i++)
		run_options[i] = (CHAR16)(words[i] == '+' ? ' ' : words[i]);
}

static EFI_STATUS load(const char *name, EFI_HANDLE *image)
{
	EFI_LOADED_IMAGE *self = efi_protocol(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	EFI_DEVICE_PATH *path = efi_file_path(self->DeviceHandle, name);
	EFI_LOADED_IMAGE *other;
	EFI_STATUS status =
	    efi_system->BootServices->LoadImage(FALSE, efi_image, path, NULL, 0, image);

	efi_system->BootServices->FreePool(path);
	if (EFI_ERROR(status))
		return status;
	other = efi_protocol(*image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	other->LoadOptions = run_options;
	other->LoadOptionsSize = sizeof(run_options);
	say("%s lies at 0x%lx\r\n", name, (uint64_t)other->ImageBase);
	return status;
}

static void unload(void)
{
	EFI_IMAGE_UNLOAD call = unload_kept ? unload_kept : efi_system->BootServices->UnloadImage;

	if (call)
		say("unloaded: 0x%lx\r\n", (uint64_t)call(loaded));
}

/* descriptors: the descriptor table during the started image, or NULL. */
static void run(const char *name, const struct descriptors *descriptors)
{
	const struct descriptors before = descriptors_now();
	EFI_HANDLE image;
	EFI_STATUS status = load(name, &image);

	if (!EFI_ERROR(status)) {
		if (descriptors)
			descriptors_use(descriptors);
		status = efi_system->BootServices->StartImage(image, NULL, NULL);
		if (descriptors)
			descriptors_use(&before);
	}
	say("%s returned 0x%lx\r\n", name, (uint64_t)status);
}

/* The copy stays valid, because code that has read the table register may use it later. */
static void run_with_other_descriptors(const char *name)
{
	struct descriptors copy;
	VOID *gates;

	if (EFI_ERROR(efi_system->BootServices->AllocatePool(EfiBootServicesData, DESCRIPTORS_SIZE,
	                                                     &gates)))
		return;
	copy = descriptors_copy(gates);
	run(name, &copy);
	say("%lu NMIs came by the copy's gate\r\n", descriptors_nmis);
}

/* As UEFI 2.10, 7.4.6, requires of a loader: repeat the call if the memory map has changed. */
static EFI_STATUS exit_services(void)
{
	static uint8_t map[65536];
	UINTN size = sizeof(map), key, stride;
	UINT32 version;

	efi_system->BootServices->GetMemoryMap(&size, (EFI_MEMORY_DESCRIPTOR *)map, &key, &stride,
	                                       &version);
	return (exit_kept ? exit_kept : efi_system->BootServices->ExitBootServices)(efi_image, key);
}

static void keep(void)
{
	exit_kept = efi_system->BootServices->ExitBootServices;
	unload_kept = efi_system->BootServices->UnloadImage;
}

static VOID EFIAPI on_nothing(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
}

/* Signalling one event of a group signals the whole group. */
static void tell_before_exit(void)
{
	static const EFI_GUID group = BEFORE_EXIT_GUID;

	efi_system->BootServices->CreateEventEx(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_nothing, NULL,
	                                        &group, &before_exit);
}

/* The masked exceptions differ from those at the recording's begin; the recording ends here. */
static void signal_before_exit(void)
{
	uint64_t masked;

	mask_otherwise();
	masked = masked_now();
	efi_system->BootServices->SignalEvent(before_exit);
	say("the mask %s\r\n", masked_now() == masked ? "stays" : "has changed");
}

static VOID EFIAPI on_before_exit(EFI_EVENT event, VOID *context)
{
	(void)event;
	++*(volatile unsigned *)context;
}

/* A call with a wrong key fails after the announcement. */
static void tell_announced(void)
{
	static const EFI_GUID group = BEFORE_EXIT_GUID;
	static volatile unsigned announced;
	EFI_EVENT event;

	efi_system->BootServices->CreateEventEx(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_before_exit,
	                                        (VOID *)(uintptr_t)&announced, &group, &event);
	efi_system->BootServices->ExitBootServices(efi_image, 0);
	say("%u announcements before a call that failed\r\n", announced);
}

static void leave(uint64_t ms)
{
	EFI_STATUS status;

	if (before_exit)
		signal_before_exit();
	status = exit_services();
	if (EFI_ERROR(status))
		status = exit_services();
	if (EFI_ERROR(status))
		return;
	spin_at_application(ms);
	efi_system->RuntimeServices->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
}

/* EDK2's layout: a basic record, a vendor's record, and room behind them. ACPI 6.5, 5.2.24. */
static const struct __attribute__((packed)) boot_times {
	char signature[4];
	uint32_t size;
	struct __attribute__((packed)) {
		uint16_t type;
		uint8_t size, revision;
		uint32_t reserved;
		uint64_t times[5];
	} basic;
	struct __attribute__((packed)) {
		uint16_t type;
		uint8_t size, revision;
		uint16_t progress;
		uint32_t apic;
		uint64_t time;
		EFI_GUID guid;
		char text[8];
	} own;
	uint8_t room[64];
} boot_times = {
	.signature = { 'F', 'B', 'P', 'T' },
	.size = sizeof(boot_times),
	.basic = { 2, sizeof(boot_times.basic), 2, 0, { 12345678, 1500000000, 1600000001, 0, 0 } },
	.own = { 0x1011, sizeof(boot_times.own), 1, 0x30, 0, 987654321, { 0 }, "BDS" },
};

struct __attribute__((packed)) fpdt {
	char signature[4];
	uint32_t size;
	uint8_t revision, checksum;
	char oem[6], oem_table[8];
	uint32_t oem_revision, creator, creator_revision;
	uint16_t type;
	uint8_t record_size, record_revision;
	uint32_t reserved;
	uint64_t address;
};

/* The firmware copies the table, but not the data that the table points to. */
static void install_fpdt(void)
{
	struct acpi_table *protocol = efi_locate((EFI_GUID)ACPI_TABLE_PROTOCOL_GUID);
	struct fpdt fpdt = { .signature = { 'F', 'P', 'D', 'T' },
		             .size = sizeof(fpdt),
		             .revision = 1,
		             .record_size = 16,
		             .record_revision = 1 };
	UINTN key;
	VOID *copy;

	if (!protocol || EFI_ERROR(efi_system->BootServices->AllocatePool(
	                     EfiReservedMemoryType, sizeof(boot_times), &copy)))
		return;
	memcpy(copy, &boot_times, sizeof(boot_times));
	fpdt.address = (uint64_t)copy;
	protocol->install(protocol, &fpdt, sizeof(fpdt), &key);
}

struct __attribute__((packed)) coreboot_table {
	char signature[4];
	uint32_t header_size, header_sum, size, sum, count;
	uint32_t tag, tag_size;
	uint64_t address;
};

/* The checksum of the Internet (RFC 1071). */
static uint16_t sum_of(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint32_t sum = 0;

	for (size_t i = 0; i < size; i += 2) {
		sum += at[i] | (uint32_t)at[i + 1] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)~sum;
}

static void put_coreboot_table(uint64_t at, uint32_t tag, uint64_t address)
{
	struct coreboot_table table = { { 'L', 'B', 'I', 'O' }, 24, 0, 16, 0, 1, tag, 16, address };

	table.sum = sum_of(&table.tag, 16);
	table.header_sum = sum_of(&table, 24);
	memcpy((void *)at, &table, sizeof(table));
}

/* A table that leads to the real one, and its timestamps, of 1 GHz, in one page. */
static void install_coreboot(uint64_t at)
{
	static const struct __attribute__((packed)) {
		uint64_t base;
		uint16_t room, mhz;
		uint32_t count;
		struct __attribute__((packed)) {
			uint32_t id;
			int64_t stamp;
		} entries[3];
	} times = { 1000000, 9, 1000, 3, { { 11, 1000000 }, { 2, 21000000 }, { 3, 96000000 } } };
	EFI_PHYSICAL_ADDRESS page = at & ~0xfffULL;

	if (EFI_ERROR(efi_system->BootServices->AllocatePages(AllocateAddress,
	                                                      EfiReservedMemoryType, 1, &page)))
		say("no page at 0x%lx\r\n", page);
	put_coreboot_table(at, 0x11, at + 0x100);
	put_coreboot_table(at + 0x100, 0x16, at + 0x200);
	memcpy((void *)(at + 0x200), &times, sizeof(times));
}

static EFI_STATUS obey(const char *word)
{
	const char *equals = strchr(word, '='), *value = equals ? equals + 1 : "";
	uint64_t number = strtoul(value, NULL, 0);

	if (!strncmp(word, "low=", 4))
		spin_at_application(number);
	else if (!strcmp(word, "key"))
		spin_until_key();
	else if (!strncmp(word, "high=", 5))
		spin_at_high_level(number);
	else if (!strncmp(word, "below=", 6))
		spin_on_stack(number);
	else if (!strncmp(word, "map=", 4))
		spin_in_other_map(number);
	else if (!strncmp(word, "stall=", 6))
		stall_at_application(number);
	else if (!strncmp(word, "tick=", 5))
		count_ticks(number);
	else if (!strncmp(word, "exit=", 5))
		leave(number);
	else if (!strncmp(word, "code=", 5))
		report(PROGRESS, number);
	else if (!strncmp(word, "error=", 6))
		report(MAJOR, number);
	else if (!strncmp(word, "high-code=", 10))
		high_code = number;
	else if (!strcmp(word, "fpdt"))
		install_fpdt();
	else if (!strncmp(word, "coreboot=", 9))
		install_coreboot(number);
	else if (!strncmp(word, "run=", 4))
		run(value, NULL);
	else if (!strncmp(word, "with=", 5))
		set_run_options(value);
	else if (!strncmp(word, "load=", 5))
		load(value, &loaded);
	else if (!strcmp(word, "unload"))
		unload();
	else if (!strcmp(word, "keep"))
		keep();
	else if (!strcmp(word, "before-exit"))
		tell_before_exit();
	else if (!strcmp(word, "announced"))
		tell_announced();
	else if (!strcmp(word, "rights"))
		tell_rights(say, &cycles_of_ms);
	else if (!strncmp(word, "leave=", 6))
		efi_system->BootServices->Exit(efi_image, (EFI_STATUS)number, 0, NULL);
	else if (!strncmp(word, "idt=", 4))
		run_with_other_descriptors(value);
	else if (!strcmp(word, "clock"))
		say("clock %lu\r\n", arch_cycles());
	return strncmp(word, "status=", 7) ? EFI_SUCCESS : (EFI_STATUS)number;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	static char text[512];
	EFI_LOADED_IMAGE *self;
	EFI_STATUS status = EFI_SUCCESS;
	const CHAR16 *options;
	uint64_t from;
	size_t length = 0;

	efi_image = image;
	efi_system = system;
	from = arch_cycles();
	system->BootServices->Stall(10000);
	cycles_of_ms = (arch_cycles() - from) / 10;
	status_code = efi_locate((EFI_GUID)STATUS_CODE_GUID);
	self = efi_protocol(image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	options = self->LoadOptions;
	while (options && length < self->LoadOptionsSize / 2 && length < sizeof(text) - 1 &&
	       options[length]) {
		text[length] = (char)options[length];
		length++;
	}
	text[length] = 0;
	if (length == 0)
		strcpy(text, efi_is_driver() ? DRIVER_WORDS : "clock");
	say("spinner: %s\r\n", text);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		status |= obey(word);
	return status;
}
