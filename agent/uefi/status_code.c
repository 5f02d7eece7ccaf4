/* SPDX-License-Identifier: MIT */
#include "agent/uefi/status_code.h"

#include <string.h>

#include "lib/print.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define NAMES     21U
#define CLASSES   4U
#define SPECIFIC  0x1000U /* from here on, an operation's number depends on the subclass */
#define OEM_CLASS 0x80U

/* An error's severity, in EFI_STATUS_CODE_SEVERITY_MASK. */
static const struct {
	uint32_t value;
	const char *name;
} severities[] = {
	{ 0x40000000, "minor" },
	{ 0x80000000, "major" },
	{ 0x90000000, "unrecovered" },
	{ 0xa0000000, "uncontained" },
};

/* Classes, their subclasses, and the operations that all subclasses of a class share. */
static const struct class
{
	const char *name;
	const char *subclasses[NAMES];
	const char *progress[NAMES];
	const char *errors[NAMES];
} classes[CLASSES] = {
	{ "computing unit",
	  { "computing unit", "host processor", "firmware processor", "I/O processor", "cache",
	    "memory", "chipset" },
	  { "initialisation begins", "initialisation ends" },
	  { "non-specific", "disabled", "not supported", "not detected", "not configured" } },
	{ "peripheral",
	  { "peripheral", "keyboard", "mouse", "local console", "remote console", "serial port",
	    "parallel port", "fixed media", "removable media", "audio input", "audio output",
	    "LCD device", "network", "docking", "TPM" },
	  { "initialisation", "reset", "disable", "presence detect", "enable", "reconfigure",
	    "detected" },
	  { "non-specific", "disabled", "not supported", "not detected", "not configured",
	    "interface error", "controller error", "input error", "output error",
	    "resource conflict" } },
	{ "I/O bus",
	  { "I/O bus", "PCI", "USB", "InfiniBand", "AGP", "PC card", "LPC", "SCSI", "ATA/ATAPI",
	    "Fibre Channel", "IP network", "SMBus", "I2C" },
	  { "initialisation", "reset", "disable", "detect", "enable", "reconfigure", "hot plug" },
	  { "non-specific", "disabled", "not supported", "not detected", "not configured",
	    "interface error", "controller error", "read error", "write error",
	    "resource conflict" } },
	{ "software",
	  { "software",
	    "SEC",
	    "PEI core",
	    "PEI module",
	    "DXE core",
	    "DXE BS driver",
	    "DXE RT driver",
	    "SMM driver",
	    "EFI application",
	    "EFI OS loader",
	    "EFI RT",
	    "EFI AL",
	    "EBC exception",
	    "IA-32 exception",
	    "IPF exception",
	    "PEI services",
	    "EFI boot services",
	    "EFI runtime services",
	    "EFI DXE services",
	    "X64 exception",
	    "Arm exception" },
	  { "initialisation", "load", "initialisation begins", "initialisation ends",
	    "authentication begins", "authentication ends", "waits for input", "user setup" },
	  { "non-specific", "load error", "invalid parameter", "unsupported", "invalid buffer",
	    "out of resources", "aborted", "illegal software state", "illegal hardware state",
	    "start error", "bad date and time", "invalid configuration",
	    "configuration clear request", "configuration default", "invalid password",
	    "password clear request", "password cleared", "event log full" } },
};

/* Operations of single subclasses. Only those that a firmware reports after drivers run. */
static const struct operation {
	uint32_t value;
	const char *name;
} progress[] = {
	{ 0x00011007, "application processors' initialisation" },
	{ 0x00011008, "SMM initialisation" },
	{ 0x00061004, "host bridge's DXE initialisation" },
	{ 0x00061008, "south bridge's DXE initialisation" },
	{ 0x0006100a, "south bridge's devices' initialisation" },
	{ 0x01011000, "clears its buffer" },
	{ 0x01011001, "self-test" },
	{ 0x01021000, "self-test" },
	{ 0x01051000, "clears its buffer" },
	{ 0x02011000, "bus enumeration" },
	{ 0x02011001, "resource allocation" },
	{ 0x02011002, "hot plug controller's initialisation" },
	{ 0x03041000, "entry point" },
	{ 0x03041001, "hand-off to next" },
	{ 0x03041002, "return to last" },
	{ 0x03041003, "driver starts" },
	{ 0x03041004, "architectural protocols are there" },
	{ 0x03051000, "legacy option ROM's initialisation" },
	{ 0x03051001, "ready to boot event" },
	{ 0x03051002, "legacy boot event" },
	{ 0x03051003, "exit boot services event" },
	{ 0x03051004, "virtual address change event" },
	{ 0x03051005, "variable services' initialisation" },
	{ 0x03051006, "variable reclaim" },
	{ 0x03051007, "attempt boot order event" },
	{ 0x03051008, "configuration reset" },
	{ 0x03051009, "CSM's initialisation" },
	{ 0x03058000, "operation 0x8000, EDK2's OS loader load" },
	{ 0x03058001, "operation 0x8001, EDK2's OS loader start" },
	{ 0x0310100d, "InstallProtocolInterface()" },
	{ 0x03101015, "LoadImage()" },
	{ 0x03101016, "StartImage()" },
	{ 0x03101019, "ExitBootServices()" },
	{ 0x0310101b, "Stall()" },
	{ 0x0310101d, "ConnectController()" },
	{ 0x03111004, "SetVirtualAddressMap()" },
	{ 0x0311100a, "ResetSystem()" },
	{ 0x0312100d, "Dispatch()" },
}, errors[] = {
	{ 0x01011000, "locked" },
	{ 0x01011001, "stuck key" },
	{ 0x01021000, "locked" },
	{ 0x02011000, "PERR" },
	{ 0x02011001, "SERR" },
	{ 0x03041000, "an architectural protocol is missing" },
	{ 0x03051000, "no space for a legacy option ROM" },
	{ 0x03051001, "invalid password" },
	{ 0x03051002, "boot option's load error" },
	{ 0x03051003, "boot option failed" },
	{ 0x03051004, "invalid IDE password" },
};

static const char *status_code_operation_name(const struct operation *operations, size_t count,
                                              uint32_t value)
{
	for (size_t i = 0; i < count; i++) {
		if (operations[i].value == value)
			return operations[i].name;
	}
	return NULL;
}

static const char *status_code_operation(uint32_t type, uint32_t value)
{
	uint32_t class = value >> 24, operation = value & 0xffff;

	if (class >= CLASSES)
		return NULL;
	if (operation >= SPECIFIC)
		return type == STATUS_CODE_ERROR
		           ? status_code_operation_name(errors, COUNT(errors), value)
		           : status_code_operation_name(progress, COUNT(progress), value);
	if (operation >= NAMES)
		return NULL;
	return type == STATUS_CODE_ERROR ? classes[class].errors[operation]
	                                 : classes[class].progress[operation];
}

/* Write the class and subclass that the code is about. */
static void status_code_put_subject(uint32_t value, char *text, size_t size)
{
	uint32_t class = value >> 24, subclass = value >> 16 & 0xff;

	if (class >= CLASSES)
		print_text(text, size, "%s 0x%02x, subclass 0x%02x",
		           class >= OEM_CLASS ? "OEM class" : "class", class, subclass);
	else if (subclass >= NAMES || !classes[class].subclasses[subclass])
		print_text(text, size, "%s, subclass 0x%02x", classes[class].name, subclass);
	else
		print_text(text, size, "%s", classes[class].subclasses[subclass]);
}

/* Write an error's severity. Many errors are reported without one. */
static void status_code_put_severity(uint32_t type, char *text, size_t size)
{
	uint32_t severity = type & 0xff000000;

	if (!severity)
		print_text(text, size, "error ");
	else
		print_text(text, size, "error (severity 0x%02x) ", severity >> 24);
	for (size_t i = 0; i < COUNT(severities); i++) {
		if (severities[i].value == severity)
			print_text(text, size, "error (%s) ", severities[i].name);
	}
}

unsigned status_code_text(uint32_t type, uint32_t value, uint32_t instance, char *text, size_t size)
{
	char subject[48], number[16] = "", operation[48], severity[32] = "";
	uint32_t kind = type & STATUS_CODE_TYPE;
	const char *name = status_code_operation(kind, value);

	text[0] = 0;
	if (kind != STATUS_CODE_PROGRESS && kind != STATUS_CODE_ERROR)
		return 0;
	status_code_put_subject(value, subject, sizeof(subject));
	if (instance)
		print_text(number, sizeof(number), " #%u", instance);
	if (kind == STATUS_CODE_ERROR)
		status_code_put_severity(type, severity, sizeof(severity));
	if (name)
		print_text(operation, sizeof(operation), "%s", name);
	else
		print_text(operation, sizeof(operation), "operation 0x%04x", value & 0xffff);
	print_text(text, size, "%s%s%s: %s", severity, subject, number, operation);
	return (unsigned)strlen(text);
}
