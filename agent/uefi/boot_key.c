/* SPDX-License-Identifier: MIT */
#include "agent/uefi/boot_key.h"

#include <errno.h>

#define CONTROL_R     0x12
#define MOST_CONSOLES 16U

#define CONTROL_PRESSED (EFI_LEFT_CONTROL_PRESSED | EFI_RIGHT_CONTROL_PRESSED)

/* The keys to register: Ctrl-R as a terminal sends it, and as a keyboard does: a letter (upper case
 * with CapsLock) with Ctrl pressed. They are registered without a shift state, which matches any
 * (UEFI 2.10, 12.3.2), and EDK2's TerminalDxe compares none. So boot_key_on_key() checks for Ctrl.
 */
static const CHAR16 characters[] = { CONTROL_R, 'r', 'R' };
#define NR_KEYS (sizeof(characters) / sizeof(characters[0]))

static struct console_input {
	EFI_HANDLE handle;
	EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *protocol;
	VOID *registered[NR_KEYS]; /* NULL: this key is not registered */
} inputs[MOST_CONSOLES];
static unsigned nr_inputs;

static EFI_GUID input_guid = EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL_GUID;
static EFI_EVENT pressed, arrived;

/* Some firmware calls this at TPL_NOTIFY. */
static EFI_STATUS EFIAPI boot_key_on_key(EFI_KEY_DATA *key)
{
	UINT32 shift = key->KeyState.KeyShiftState;

	if (key->Key.UnicodeChar != CONTROL_R &&
	    !(shift & EFI_SHIFT_STATE_VALID && shift & CONTROL_PRESSED))
		return EFI_SUCCESS;
	return efi_system->BootServices->SignalEvent(pressed);
}

/* Whether the console input is still the same protocol: it may have gone, and come again. */
static bool boot_key_input_is_there(const struct console_input *input)
{
	return input->protocol && efi_protocol(input->handle, input_guid) == input->protocol;
}

static void boot_key_listen(EFI_HANDLE handle, EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *protocol)
{
	struct console_input *input = inputs;

	while (input < inputs + nr_inputs && input->handle != handle)
		input++;
	if (input == inputs + MOST_CONSOLES ||
	    (input < inputs + nr_inputs && boot_key_input_is_there(input)))
		return;
	if (input == inputs + nr_inputs)
		nr_inputs++;
	*input = (struct console_input){ .handle = handle, .protocol = protocol };
	for (unsigned i = 0; i < NR_KEYS; i++) {
		EFI_KEY_DATA key = { .Key.UnicodeChar = characters[i] };

		if (EFI_ERROR(protocol->RegisterKeyNotify(protocol, &key, boot_key_on_key,
		                                          &input->registered[i])))
			input->registered[i] = NULL;
	}
}

static void boot_key_listen_to_all(void)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_HANDLE *handles;
	UINTN count;

	if (EFI_ERROR(
	        services->LocateHandleBuffer(ByProtocol, &input_guid, NULL, &count, &handles)))
		return;
	for (UINTN i = 0; i < count; i++) {
		EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *protocol = efi_protocol(handles[i], input_guid);

		if (protocol)
			boot_key_listen(handles[i], protocol);
	}
	services->FreePool(handles);
}

static VOID EFIAPI boot_key_on_arrival(EFI_EVENT event, VOID *context)
{
	EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *console =
	    efi_protocol(efi_system->ConsoleInHandle, input_guid);

	(void)event;
	(void)context;
	if (console)
		boot_key_listen(efi_system->ConsoleInHandle, console);
	else
		boot_key_listen_to_all();
}

int boot_key_begin(EFI_EVENT event)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	VOID *registration;

	pressed = event;
	if (EFI_ERROR(services->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, boot_key_on_arrival,
	                                    NULL, &arrived)) ||
	    EFI_ERROR(services->RegisterProtocolNotify(&input_guid, arrived, &registration)))
		return -ENOMEM;
	services->SignalEvent(arrived); /* for consoles that already exist */
	return 0;
}

void boot_key_end(void)
{
	if (arrived)
		efi_system->BootServices->CloseEvent(arrived);
	arrived = NULL;
	for (unsigned i = 0; i < nr_inputs; i++) {
		for (unsigned j = 0; j < NR_KEYS && boot_key_input_is_there(&inputs[i]); j++) {
			EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *protocol = inputs[i].protocol;

			if (inputs[i].registered[j])
				protocol->UnregisterKeyNotify(protocol, inputs[i].registered[j]);
		}
	}
	nr_inputs = 0;
}
