/* SPDX-License-Identifier: MIT */
/* The end of a boot's recording, after which nothing of it is left. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "agent/uefi/boot_until.h"
#include "tests/unit/lib/efi/fake_firmware.h"

static const EFI_GUID ready_to_boot = {
	0x7ce88fb3, 0x4bd7, 0x4679, { 0x87, 0xa8, 0xa8, 0xd8, 0xde, 0xe5, 0x0d, 0x2b }
};
static const EFI_GUID input_guid = EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL_GUID;

static unsigned reached;
static const char *reached_by;
static EFI_TPL reached_at;

static void on_reached(const char *what)
{
	reached++;
	reached_by = what;
	reached_at = fake_level();
	boot_until_end();
}

/* ---- Consoles ---- */

#define MOST_KEYS 8U

static struct keyboard {
	EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL protocol; /* first */
	struct registered_key {
		EFI_KEY_DATA key;
		EFI_KEY_NOTIFY_FUNCTION notify; /* NULL: none */
	} keys[MOST_KEYS];
} keyboards[2];

static EFI_STATUS EFIAPI register_key(EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *this, EFI_KEY_DATA *key,
                                      EFI_KEY_NOTIFY_FUNCTION notify, VOID **handle)
{
	struct keyboard *keyboard = (struct keyboard *)this;

	for (unsigned i = 0; i < MOST_KEYS; i++) {
		if (keyboard->keys[i].notify)
			continue;
		keyboard->keys[i] = (struct registered_key){ *key, notify };
		*handle = &keyboard->keys[i];
		return EFI_SUCCESS;
	}
	return EFI_OUT_OF_RESOURCES;
}

static EFI_STATUS EFIAPI unregister_key(EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *this, VOID *handle)
{
	struct keyboard *keyboard = (struct keyboard *)this;
	struct registered_key *key = handle;

	assert_true(key >= keyboard->keys && key < keyboard->keys + MOST_KEYS && key->notify);
	key->notify = NULL;
	return EFI_SUCCESS;
}

static unsigned keys_of(const struct keyboard *keyboard)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MOST_KEYS; i++)
		count += !!keyboard->keys[i].notify;
	return count;
}

/* Like EDK2's drivers, which poll at TPL_NOTIFY. */
static void press(struct keyboard *keyboard, CHAR16 character, UINT32 shift)
{
	EFI_TPL before = fake_services.RaiseTPL(TPL_NOTIFY);

	for (unsigned i = 0; i < MOST_KEYS; i++) {
		const EFI_KEY_DATA *key = &keyboard->keys[i].key;
		EFI_KEY_DATA pressed = { { 0, character }, { shift, 0 } };

		if (keyboard->keys[i].notify && key->Key.ScanCode == 0 &&
		    key->Key.UnicodeChar == character &&
		    (!key->KeyState.KeyShiftState || key->KeyState.KeyShiftState == shift))
			keyboard->keys[i].notify(&pressed);
	}
	fake_services.RestoreTPL(before);
}

static void begin(void)
{
	fake_firmware_begin();
	reached = 0;
	reached_by = NULL;
	memset(keyboards, 0, sizeof(keyboards));
	for (unsigned i = 0; i < 2; i++) {
		keyboards[i].protocol.RegisterKeyNotify = register_key;
		keyboards[i].protocol.UnregisterKeyNotify = unregister_key;
	}
}

static void nothing_stays(void)
{
	assert_int_equal(fake_open_events(), 0);
	assert_int_equal(keys_of(&keyboards[0]), 0);
	assert_int_equal(keys_of(&keyboards[1]), 0);
}

/* ---- Claims ---- */

static void the_first_ready_to_boot_ends_it(void **state)
{
	(void)state;
	begin();
	assert_int_equal(
	    boot_until_begin(&(struct command_until){ .ready_to_boot = true }, on_reached), 0);
	assert_int_equal(reached, 0);
	fake_signal_group(ready_to_boot);
	fake_signal_group(ready_to_boot);
	assert_int_equal(reached, 1);
	assert_string_equal(reached_by, "ended at ReadyToBoot");
	assert_int_equal(reached_at, TPL_CALLBACK);
	nothing_stays();
}

static void a_time_ends_it(void **state)
{
	(void)state;
	begin();
	assert_int_equal(boot_until_begin(&(struct command_until){ .ms = 30000 }, on_reached), 0);
	fake_time_comes(299999999);
	assert_int_equal(reached, 0);
	fake_time_comes(300000000);
	fake_time_comes(300000000);
	assert_int_equal(reached, 1);
	assert_string_equal(reached_by, "ended by its time");
	assert_int_equal(reached_at, TPL_CALLBACK);
	nothing_stays();
}

/* The console's own input is used, if it exists, and no device behind it. */
static void ctrl_r_on_the_console_ends_it(void **state)
{
	static const struct {
		CHAR16 character;
		UINT32 shift;
		bool ends;
	} keys[] = {
		{ 0x12, 0, true },
		{ 0x12, EFI_SHIFT_STATE_VALID, true },
		{ 'r', EFI_SHIFT_STATE_VALID | EFI_LEFT_CONTROL_PRESSED, true },
		{ 'R', EFI_SHIFT_STATE_VALID | EFI_RIGHT_CONTROL_PRESSED, true },
		{ 'r', EFI_SHIFT_STATE_VALID | EFI_LEFT_SHIFT_PRESSED | EFI_LEFT_CONTROL_PRESSED,
		  true },
		{ 'r', EFI_SHIFT_STATE_VALID, false },
		{ 'R', EFI_LEFT_CONTROL_PRESSED, false },
		{ 'r', 0, false },
		{ 'r', EFI_SHIFT_STATE_VALID | EFI_LEFT_ALT_PRESSED, false },
		{ 0x03, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		begin();
		efi_system->ConsoleInHandle = &keyboards[0];
		fake_install(&keyboards[0], input_guid, &keyboards[0].protocol);
		fake_install(&keyboards[1], input_guid, &keyboards[1].protocol);
		boot_until_begin(&(struct command_until){ .key = true }, on_reached);
		assert_int_equal(keys_of(&keyboards[1]), 0);
		press(&keyboards[0], keys[i].character, keys[i].shift);
		press(&keyboards[0], keys[i].character, keys[i].shift);
		assert_int_equal(reached, keys[i].ends);
		if (keys[i].ends)
			assert_string_equal(reached_by, "stopped by a key");
		if (keys[i].ends)
			assert_int_equal(reached_at, TPL_CALLBACK);
		boot_until_end();
		nothing_stays();
	}
}

static void without_a_consoles_keys_each_input_device_reports_its_own(void **state)
{
	(void)state;
	begin();
	efi_system->ConsoleInHandle = &reached;
	fake_install(&keyboards[0], input_guid, &keyboards[0].protocol);
	boot_until_begin(&(struct command_until){ .key = true }, on_reached);
	assert_true(keys_of(&keyboards[0]) > 0);
	fake_install(&keyboards[1], input_guid, &keyboards[1].protocol);
	assert_int_equal(keys_of(&keyboards[0]), keys_of(&keyboards[1]));
	press(&keyboards[1], 0x12, 0);
	assert_int_equal(reached, 1);
	nothing_stays();
}

static void a_device_that_has_gone_is_not_called(void **state)
{
	(void)state;
	begin();
	fake_install(&keyboards[0], input_guid, &keyboards[0].protocol);
	boot_until_begin(&(struct command_until){ .key = true }, on_reached);
	fake_uninstall(&keyboards[0], input_guid);
	/* the keyboard is gone: a call through its protocol would crash */
	memset(&keyboards[0], 0, sizeof(keyboards[0]));
	boot_until_end();
	nothing_stays();
}

/* Another driver may serve the keyboard when it returns. */
static void a_keyboard_that_returns_is_used(void **state)
{
	(void)state;
	begin();
	fake_install(&keyboards[0], input_guid, &keyboards[0].protocol);
	boot_until_begin(&(struct command_until){ .key = true }, on_reached);
	fake_uninstall(&keyboards[0], input_guid);
	memset(&keyboards[0], 0, sizeof(keyboards[0]));
	fake_install(&keyboards[0], input_guid, &keyboards[1].protocol);
	press(&keyboards[1], 0x12, 0);
	assert_int_equal(reached, 1);
	nothing_stays();
}

static void the_first_of_several_ends_all_of_them(void **state)
{
	static const struct command_until all = { .ready_to_boot = true, .key = true, .ms = 10 };

	(void)state;
	begin();
	fake_install(&keyboards[0], input_guid, &keyboards[0].protocol);
	boot_until_begin(&all, on_reached);
	fake_time_comes(100000);
	press(&keyboards[0], 0x12, 0);
	fake_signal_group(ready_to_boot);
	assert_int_equal(reached, 1);
	assert_string_equal(reached_by, "ended by its time");
	nothing_stays();
}

static void without_boot_services_nothing_ends(void **state)
{
	(void)state;
	begin();
	boot_until_begin(&(struct command_until){ .ms = 10 }, on_reached);
	efi_boot_services = false;
	fake_time_comes(100000);
	assert_int_equal(reached, 0);
	boot_until_end();
}

static void a_start_without_memory_leaves_nothing(void **state)
{
	static const struct command_until all = { .ready_to_boot = true, .key = true, .ms = 10 };

	(void)state;
	for (unsigned most = 0; most < 4; most++) {
		begin();
		fake_install(&keyboards[0], input_guid, &keyboards[0].protocol);
		fake_most_events = most;
		assert_int_equal(boot_until_begin(&all, on_reached), -ENOMEM);
		nothing_stays();
	}
	fake_most_events = 4;
	assert_int_equal(boot_until_begin(&all, on_reached), 0);
	boot_until_end();
	boot_until_end();
	nothing_stays();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_ready_to_boot_ends_it),
		cmocka_unit_test(a_time_ends_it),
		cmocka_unit_test(ctrl_r_on_the_console_ends_it),
		cmocka_unit_test(without_a_consoles_keys_each_input_device_reports_its_own),
		cmocka_unit_test(a_device_that_has_gone_is_not_called),
		cmocka_unit_test(a_keyboard_that_returns_is_used),
		cmocka_unit_test(the_first_of_several_ends_all_of_them),
		cmocka_unit_test(without_boot_services_nothing_ends),
		cmocka_unit_test(a_start_without_memory_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
