/* SPDX-License-Identifier: MIT */
#include "tests/unit/lib/efi/fake_firmware.h"

#include <stdlib.h>
#include <string.h>

#define MOST 32U

struct fake_event {
	bool open, pending;
	UINT32 type;
	EFI_TPL level;
	EFI_EVENT_NOTIFY notify;
	void *context;
	EFI_GUID group, protocol; /* 0: none */
	UINT64 time;              /* 0: none */
};

static struct fake_event events[MOST];
static struct fake_protocol {
	EFI_HANDLE handle;
	EFI_GUID guid;
	void *interface; /* NULL: a free entry */
	bool fresh;      /* no notification has reported it yet */
} protocols[MOST];
static struct {
	EFI_GUID guid;
	const void *table; /* NULL: none */
} configured;
static struct fake_variable {
	CHAR16 name[16]; /* "": a free entry */
	UINTN size;      /* 0: none */
	EFI_STATUS read, write;
	uint8_t bytes[8192];
} variables[MOST];
static EFI_RUNTIME_SERVICES runtime;
static EFI_TPL level;
static EFI_SYSTEM_TABLE table;

EFI_BOOT_SERVICES fake_services;
unsigned fake_most_events;
bool fake_is_driver;
EFI_HANDLE efi_image;
EFI_SYSTEM_TABLE *efi_system = &table;
bool efi_boot_services;

static bool same(const EFI_GUID *one, const EFI_GUID *other)
{
	return memcmp(one, other, sizeof(*one)) == 0;
}

/* ---- Levels and events ---- */

static void output_pending(void)
{
	for (unsigned i = 0; i < MOST; i++) {
		EFI_TPL before = level;

		if (!events[i].open || !events[i].pending || events[i].level <= level)
			continue;
		events[i].pending = false;
		level = events[i].level;
		if (events[i].notify)
			events[i].notify(&events[i], events[i].context);
		level = before;
	}
}

static EFI_TPL EFIAPI fake_raise(EFI_TPL to)
{
	EFI_TPL before = level;

	if (to < level)
		abort();
	level = to;
	return before;
}

static VOID EFIAPI fake_restore(EFI_TPL to)
{
	if (to > level)
		abort();
	level = to;
	output_pending();
}

static EFI_STATUS EFIAPI fake_signal(EFI_EVENT event)
{
	struct fake_event *at = event;

	if (!at || !at->open)
		abort();
	at->pending = true;
	output_pending();
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI fake_create_ex(UINT32 type, EFI_TPL at_level, EFI_EVENT_NOTIFY notify,
                                        const VOID *context, const EFI_GUID *group,
                                        EFI_EVENT *event)
{
	struct fake_event *at = events;

	while (at < events + MOST && at->open)
		at++;
	if (at == events + MOST || fake_open_events() >= fake_most_events)
		return EFI_OUT_OF_RESOURCES;
	*at = (struct fake_event){ .open = true,
		                   .type = type,
		                   .level = at_level,
		                   .notify = notify,
		                   .context = (void *)(uintptr_t)context,
		                   .group = group ? *group : (EFI_GUID){ 0 } };
	*event = at;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI fake_create(UINT32 type, EFI_TPL at_level, EFI_EVENT_NOTIFY notify,
                                     VOID *context, EFI_EVENT *event)
{
	return fake_create_ex(type, at_level, notify, context, NULL, event);
}

static EFI_STATUS EFIAPI fake_close(EFI_EVENT event)
{
	struct fake_event *at = event;

	if (!at->open)
		abort();
	at->open = false;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI fake_set_timer(EFI_EVENT event, EFI_TIMER_DELAY type, UINT64 time)
{
	struct fake_event *at = event;

	at->time = type == TimerCancel ? 0 : time;
	return EFI_SUCCESS;
}

unsigned fake_open_events(void)
{
	unsigned open = 0;

	for (unsigned i = 0; i < MOST; i++)
		open += events[i].open;
	return open;
}

void fake_signal_group(EFI_GUID group)
{
	for (unsigned i = 0; i < MOST; i++)
		if (events[i].open && same(&events[i].group, &group))
			fake_signal(&events[i]);
}

static EFI_STATUS EFIAPI fake_forbidden(void)
{
	abort();
}

/* A table of services consists of its header and pointers to functions. */
static void fake_forbid(VOID *services, size_t size)
{
	EFI_STATUS(EFIAPI * forbidden)(void) = fake_forbidden;

	for (size_t at = sizeof(EFI_TABLE_HEADER); at < size; at += sizeof(forbidden))
		memcpy((uint8_t *)services + at, (const void *)&forbidden, sizeof(forbidden));
}

void fake_exit_boot_services(void)
{
	fake_forbid(&fake_services, sizeof(fake_services));
	fake_forbid(&runtime, sizeof(runtime));
	for (unsigned i = 0; i < MOST; i++) {
		EFI_TPL before = level;

		if (!events[i].open || events[i].type != EVT_SIGNAL_EXIT_BOOT_SERVICES)
			continue;
		level = events[i].level;
		events[i].notify(&events[i], events[i].context);
		level = before;
	}
}

void fake_time_comes(UINT64 in_100ns)
{
	for (unsigned i = 0; i < MOST; i++)
		if (events[i].open && events[i].time && events[i].time <= in_100ns)
			fake_signal(&events[i]);
}

void fake_hold(EFI_EVENT event)
{
	((struct fake_event *)event)->pending = true;
}

EFI_TPL fake_level(void)
{
	return level;
}

/* ---- Protocols ---- */

static struct fake_protocol *find(EFI_HANDLE handle, const EFI_GUID *guid)
{
	for (unsigned i = 0; i < MOST; i++)
		if (protocols[i].interface && protocols[i].handle == handle &&
		    same(&protocols[i].guid, guid))
			return &protocols[i];
	return NULL;
}

void fake_install(EFI_HANDLE handle, EFI_GUID guid, void *interface)
{
	struct fake_protocol *at = protocols;

	while (at->interface)
		at++;
	*at = (struct fake_protocol){ handle, guid, interface, true };
	for (unsigned i = 0; i < MOST; i++)
		if (events[i].open && same(&events[i].protocol, &guid))
			fake_signal(&events[i]);
}

void fake_uninstall(EFI_HANDLE handle, EFI_GUID guid)
{
	struct fake_protocol *at = find(handle, &guid);

	if (at)
		at->interface = NULL;
}

void *efi_protocol(EFI_HANDLE handle, EFI_GUID protocol)
{
	struct fake_protocol *at = find(handle, &protocol);

	return at ? at->interface : NULL;
}

static EFI_STATUS EFIAPI fake_notify(EFI_GUID *protocol, EFI_EVENT event, VOID **registration)
{
	for (unsigned i = 0; i < MOST; i++)
		protocols[i].fresh &= !same(&protocols[i].guid, protocol);
	((struct fake_event *)event)->protocol = *protocol;
	*registration = event;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI fake_locate(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *protocol, VOID *key,
                                     UINTN *count, EFI_HANDLE **buffer)
{
	static EFI_HANDLE found[MOST];

	(void)type;
	(void)key;
	*count = 0;
	*buffer = found;
	for (unsigned i = 0; i < MOST; i++)
		if (protocols[i].interface && same(&protocols[i].guid, protocol))
			found[(*count)++] = protocols[i].handle;
	return *count ? EFI_SUCCESS : EFI_NOT_FOUND;
}

/* ByRegisterNotify: one of the new handles per call. */
static EFI_STATUS EFIAPI fake_locate_new(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *protocol, VOID *key,
                                         UINTN *size, EFI_HANDLE *buffer)
{
	const struct fake_event *registration = key;

	if (type != ByRegisterNotify || protocol || *size < sizeof(*buffer))
		abort();
	for (unsigned i = 0; i < MOST; i++) {
		if (!protocols[i].interface || !protocols[i].fresh ||
		    !same(&protocols[i].guid, &registration->protocol))
			continue;
		protocols[i].fresh = false;
		*buffer = protocols[i].handle;
		return EFI_SUCCESS;
	}
	return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI fake_free(VOID *buffer)
{
	(void)buffer;
	return EFI_SUCCESS;
}

/* ---- Variables ---- */

/* The variable's entry, or a free one. */
static struct fake_variable *variable(const CHAR16 *name, UINTN *name_size)
{
	struct fake_variable *at = variables;

	*name_size = sizeof(*name);
	for (const CHAR16 *end = name; *end; end++)
		*name_size += sizeof(*end);
	while (at < variables + MOST && at->name[0] && memcmp(at->name, name, *name_size) != 0)
		at++;
	if (at == variables + MOST || *name_size > sizeof(at->name))
		abort();
	return at;
}

static struct fake_variable *new_variable(const CHAR16 *name)
{
	UINTN name_size;
	struct fake_variable *at = variable(name, &name_size);

	memcpy(at->name, name, name_size);
	return at;
}

static EFI_STATUS EFIAPI fake_get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                           UINTN *size, VOID *data)
{
	UINTN name_size, capacity = *size;
	const struct fake_variable *at = variable(name, &name_size);

	(void)vendor;
	(void)attributes;
	if (at->read)
		return at->read;
	if (!at->size)
		return EFI_NOT_FOUND;
	*size = at->size;
	if (at->size > capacity)
		return EFI_BUFFER_TOO_SMALL;
	memcpy(data, at->bytes, at->size);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI fake_put_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes,
                                           UINTN size, VOID *data)
{
	UINTN name_size;
	const struct fake_variable *at = variable(name, &name_size);

	(void)vendor;
	(void)attributes;
	if (at->write)
		return at->write;
	if (!size && !at->size)
		return EFI_NOT_FOUND;
	fake_set_variable(name, data, size);
	return EFI_SUCCESS;
}

void fake_set_variable(const CHAR16 *name, const void *bytes, UINTN size)
{
	struct fake_variable *at = new_variable(name);

	at->size = size;
	if (size)
		memcpy(at->bytes, bytes, size);
}

const void *fake_variable(const CHAR16 *name, UINTN *size)
{
	UINTN name_size;
	const struct fake_variable *at = variable(name, &name_size);

	*size = at->size;
	return at->size ? at->bytes : NULL;
}

void fake_variable_fails(const CHAR16 *name, EFI_STATUS read, EFI_STATUS write)
{
	struct fake_variable *at = new_variable(name);

	at->read = read;
	at->write = write;
}

unsigned fake_variables(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MOST; i++)
		count += variables[i].size > 0;
	return count;
}

void fake_set_table(EFI_GUID guid, const void *bytes)
{
	configured.guid = guid;
	configured.table = bytes;
}

const void *efi_configuration_table(EFI_GUID guid)
{
	return same(&configured.guid, &guid) ? configured.table : NULL;
}

void efi_services_changed(void)
{
}

bool efi_is_driver(void)
{
	return fake_is_driver;
}

void fake_firmware_begin(void)
{
	memset(events, 0, sizeof(events));
	memset(protocols, 0, sizeof(protocols));
	memset(variables, 0, sizeof(variables));
	memset(&configured, 0, sizeof(configured));
	level = TPL_APPLICATION;
	fake_most_events = MOST;
	fake_is_driver = false;
	efi_boot_services = true;
	table = (EFI_SYSTEM_TABLE){ .BootServices = &fake_services, .RuntimeServices = &runtime };
	runtime = (EFI_RUNTIME_SERVICES){ .GetVariable = fake_get_variable,
		                          .SetVariable = fake_put_variable };
	fake_services = (EFI_BOOT_SERVICES){
		.RaiseTPL = fake_raise,
		.RestoreTPL = fake_restore,
		.CreateEvent = fake_create,
		.CreateEventEx = fake_create_ex,
		.SignalEvent = fake_signal,
		.CloseEvent = fake_close,
		.SetTimer = fake_set_timer,
		.RegisterProtocolNotify = fake_notify,
		.LocateHandle = fake_locate_new,
		.LocateHandleBuffer = fake_locate,
		.FreePool = fake_free,
	};
}
