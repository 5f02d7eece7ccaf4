/* SPDX-License-Identifier: MIT */
/* Images that are loaded and unloaded without a call of our hooks; and tracking that ends while
 * code runs inside our hooks: --until's end is a notification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/console/console.h"
#include "lib/efi/efi_image_name.h"
#include "lib/efi/efi_images.h"
#include "tests/unit/lib/efi/fake_firmware.h"

static const EFI_GUID before_exit = {
	0x8be0e274, 0x3970, 0x4b44, { 0x80, 0xc5, 0x1a, 0xb9, 0x50, 0x2f, 0x3b, 0xfc }
};

static unsigned reported, started, ended, returned, left, exits, looks, starts_of_firmware;
static char said[512];
static const EFI_GUID table_guid = {
	0x49152e77, 0x1ada, 0x4764, { 0xb7, 0xa2, 0x7a, 0xfe, 0xfe, 0xd9, 0x5e, 0x8b }
};

/* The reports of images, in order: +base or -base; and the path of the last loaded one. */
static long heard[16];
static unsigned hearings;
static const EFI_DEVICE_PATH *path;

static char called[EFI_IMAGE_NAME_MAX];
static EFI_EVENT end;

void console_printf(const char *format, ...)
{
	va_list arguments;
	size_t length = strlen(said);

	va_start(arguments, format);
	vsnprintf(said + length, sizeof(said) - length, format, arguments);
	va_end(arguments);
}

void efi_image_describe(struct efi_image_place *place, const EFI_LOADED_IMAGE *image)
{
	path = image->FilePath;
	strcpy(place->name, "image.efi");
}

void efi_image_name(const EFI_LOADED_IMAGE *image, char *name, size_t size)
{
	(void)image;
	(void)size;
	strcpy(name, "app.efi");
}

static void report(void *context, const struct efi_image_place *image, bool there)
{
	(void)context;
	reported += there;
	if (hearings < sizeof(heard) / sizeof(*heard))
		heard[hearings++] = there ? (long)image->base : -(long)image->base;
}

static const void *starts(void *context, const char *name)
{
	(void)context;
	started++;
	strcpy(called, name);
	return &started;
}

static void image_left(void *context, const void *what)
{
	(void)context;
	assert_ptr_equal(what, &started);
	ended++;
}

static void returns(void *context, const char *name)
{
	(void)context;
	returned++;
	assert_string_equal(name, called);
}

static bool changes; /* the memory map changes, because a file is written */

static bool leaves(void *context)
{
	(void)context;
	assert_in_range(fake_level(), TPL_APPLICATION, TPL_CALLBACK);
	left++;
	return changes;
}

static const struct efi_images_watcher watcher = {
	.report = report, .starts = starts, .left = image_left, .returns = returns, .leaves = leaves
};

static EFI_STATUS EFIAPI start(EFI_HANDLE image, UINTN *size, CHAR16 **data)
{
	(void)image;
	(void)size;
	(void)data;
	starts_of_firmware++;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI unload(EFI_HANDLE image)
{
	(void)image;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI leave(EFI_HANDLE image, UINTN key)
{
	(void)image;
	(void)key;
	exits++;
	return EFI_SUCCESS;
}

static VOID EFIAPI on_end(EFI_EVENT event, VOID *context)
{
	(void)context;
	fake_services.CloseEvent(event);
	efi_images_unwatch();
}

static EFI_LOADED_IMAGE image = { .ImageBase = &image, .ImageSize = 4096 };

static void begin(void)
{
	fake_firmware_begin();
	fake_services.StartImage = start;
	fake_services.UnloadImage = unload;
	fake_services.ExitBootServices = leave;
	fake_install(&image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &image);
	reported = started = ended = returned = left = exits = looks = hearings = 0;
	starts_of_firmware = 0;
	said[0] = 0;
	assert_int_equal(efi_images_watch(&watcher), 0);
	fake_services.CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_end, NULL, &end);
}

static void starts_and_exits_are_reported(void **state)
{
	(void)state;
	begin();
	assert_int_equal(reported, 1);
	fake_services.StartImage(&image, NULL, NULL);
	assert_int_equal(started, 1);
	assert_int_equal(ended, 1);
	assert_int_equal(returned, 1);
	assert_string_equal(called, "app.efi");
	fake_services.ExitBootServices(NULL, 0);
	assert_int_equal(left, 1);
	assert_int_equal(exits, 1);
	efi_images_unwatch();
	assert_ptr_equal(fake_services.StartImage, start);
	assert_ptr_equal(fake_services.ExitBootServices, leave);
}

/* The firmware's ExitBootServices() is not called: it would stop its timer although it refuses. */
static void leaving_with_an_old_map_must_be_repeated(void **state)
{
	(void)state;
	begin();
	changes = true;
	assert_int_equal(fake_services.ExitBootServices(NULL, 0), EFI_INVALID_PARAMETER);
	changes = false;
	assert_int_equal(left, 1);
	assert_int_equal(exits, 0);
	assert_int_equal(fake_services.ExitBootServices(NULL, 0), EFI_SUCCESS);
	assert_int_equal(left, 1);
	assert_int_equal(exits, 1);
	efi_images_unwatch();
}

/* An application may call ExitBootServices() by a pointer that it read before the hook was there.
 * Newer firmware then signals an event group. */
static void leaving_past_the_hook_is_reported_once(void **state)
{
	EFI_EXIT_BOOT_SERVICES kept = leave;
	EFI_TPL level;

	(void)state;
	begin();
	level = fake_services.RaiseTPL(TPL_NOTIFY);
	assert_int_equal(fake_services.ExitBootServices(NULL, 0), EFI_SUCCESS);
	assert_int_equal(left, 0); /* the files are not written in the old notification */
	fake_signal_group(before_exit);
	fake_services.RestoreTPL(level);
	assert_int_equal(left, 1);
	fake_signal_group(before_exit); /* the caller was told to call ExitBootServices() again */
	fake_services.ExitBootServices(NULL, 0);
	kept(NULL, 0);
	assert_int_equal(left, 1);
	assert_int_equal(exits, 3);
	efi_images_unwatch();
	assert_int_equal(efi_images_watch(&watcher), 0); /* another recording */
	fake_services.ExitBootServices(NULL, 0);
	assert_int_equal(left, 2);
	efi_images_unwatch();
	fake_signal_group(before_exit);
	assert_int_equal(left, 2);
}

/* An event above its level is notified when a hook lowers the level: here by the first hook that
 * does. */
static void watching_may_end_within_a_hook(void **state)
{
	EFI_IMAGE_START hooked_start;
	EFI_EXIT_BOOT_SERVICES hooked_exit;
	EFI_IMAGE_UNLOAD hooked_unload;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		begin();
		hooked_start = fake_services.StartImage;
		hooked_exit = fake_services.ExitBootServices;
		hooked_unload = fake_services.UnloadImage;
		fake_hold(end);
		if (i == 0)
			assert_int_equal(hooked_start(NULL, NULL, NULL), EFI_SUCCESS);
		else if (i == 1)
			assert_int_equal(hooked_exit(NULL, 0), EFI_SUCCESS);
		else
			assert_int_equal(hooked_unload(NULL), EFI_SUCCESS);
		assert_ptr_equal(fake_services.StartImage, start);
		assert_int_equal(returned, 0);
		assert_int_equal(fake_open_events(), 0);
		assert_int_equal(exits, i == 1);
	}
}

/* A pointer to our hook that other code has kept still reaches the firmware's own service. */
static void a_hook_that_is_called_afterwards_hands_on(void **state)
{
	static EFI_LOADED_IMAGE another = { .ImageBase = &another, .ImageSize = 4096 };
	EFI_IMAGE_START hooked_start;
	EFI_EXIT_BOOT_SERVICES hooked_exit;

	(void)state;
	begin();
	hooked_start = fake_services.StartImage;
	hooked_exit = fake_services.ExitBootServices;
	fake_services.SignalEvent(end);
	fake_install(&end, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &another);
	assert_int_equal(hooked_start(NULL, NULL, NULL), EFI_SUCCESS);
	assert_int_equal(hooked_exit(NULL, 0), EFI_SUCCESS);
	assert_int_equal(started + ended + left, 0);
	assert_int_equal(reported, 1);
	assert_int_equal(exits, 1);
}

/* ---- Hooks of others ---- */

static EFI_IMAGE_START under_start;
static EFI_EXIT_BOOT_SERVICES under_exit;
static unsigned others;

static EFI_STATUS EFIAPI others_start(EFI_HANDLE handle, UINTN *size, CHAR16 **data)
{
	others++;
	return under_start(handle, size, data);
}

static EFI_STATUS EFIAPI others_exit(EFI_HANDLE handle, UINTN key)
{
	others++;
	return under_exit(handle, key);
}

/* A boot loader's hooks: a loader may hook these functions to enforce its policy on images. */
static void others_hook(void)
{
	others = 0;
	under_start = fake_services.StartImage;
	under_exit = fake_services.ExitBootServices;
	fake_services.StartImage = others_start;
	fake_services.ExitBootServices = others_exit;
}

/* The other hook is removed, and then another recording removes ours. */
static void others_unhook(void)
{
	fake_services.StartImage = under_start;
	fake_services.ExitBootServices = under_exit;
	efi_images_unwatch();
	assert_ptr_equal(fake_services.StartImage, start);
	assert_ptr_equal(fake_services.UnloadImage, unload);
	assert_ptr_equal(fake_services.ExitBootServices, leave);
	assert_int_equal(fake_open_events(), 0);
}

static void a_hook_above_ours_stays_and_reaches_the_firmware(void **state)
{
	(void)state;
	begin();
	fake_is_driver = true;
	others_hook();
	fake_services.SignalEvent(end);
	assert_ptr_equal(fake_services.StartImage, others_start);
	assert_ptr_equal(fake_services.ExitBootServices, others_exit);
	assert_ptr_equal(fake_services.UnloadImage, unload);
	assert_int_equal(fake_services.StartImage(&image, NULL, NULL), EFI_SUCCESS);
	assert_int_equal(fake_services.ExitBootServices(NULL, 0), EFI_SUCCESS);
	assert_int_equal(others, 2);
	assert_int_equal(starts_of_firmware, 1);
	assert_int_equal(exits, 1);
	assert_int_equal(started + ended + left, 0);
	assert_string_equal(said, "");
	assert_int_equal(efi_images_watch(&watcher), 0);
	others_unhook();
}

/* Our hook, below the other one, is the same as before: if it were twice in the chain, the chain
 * would be endless. */
static void a_hook_that_has_stayed_serves_the_next_recording(void **state)
{
	(void)state;
	begin();
	fake_is_driver = true;
	others_hook();
	fake_services.SignalEvent(end);
	assert_int_equal(efi_images_watch(&watcher), 0);
	fake_services.StartImage(&image, NULL, NULL);
	fake_services.ExitBootServices(NULL, 0);
	assert_int_equal(others, 2);
	assert_int_equal(started, 1);
	assert_int_equal(left, 1);
	assert_int_equal(starts_of_firmware, 1);
	others_unhook();
}

/* The memory of the hooks is then free. */
static void an_applications_hooks_are_removed_and_that_is_reported(void **state)
{
	(void)state;
	begin();
	others_hook();
	fake_services.SignalEvent(end);
	assert_ptr_equal(fake_services.StartImage, start);
	assert_ptr_equal(fake_services.ExitBootServices, leave);
	assert_non_null(strstr(said, "another program has hooked StartImage()"));
	assert_non_null(strstr(said, "another program has hooked ExitBootServices()"));
	assert_null(strstr(said, "UnloadImage()"));
}

/* ---- Images that are not reported ---- */

#define TICK 100000U /* in 100 ns */

static struct {
	UINT32 status, count;
	VOID *images;
} table;
static char first_path, second_path;
static EFI_LOADED_IMAGE one, other; /* there from the start; and not */
static EFI_STATUS(EFIAPI *locate)(EFI_LOCATE_SEARCH_TYPE, EFI_GUID *, VOID *, UINTN *,
                                  EFI_HANDLE **);

static EFI_STATUS EFIAPI count_looks(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *protocol, VOID *key,
                                     UINTN *count, EFI_HANDLE **buffer)
{
	looks++;
	return locate(type, protocol, key, count, buffer);
}

static void put(EFI_LOADED_IMAGE *at, uintptr_t base, const char *of)
{
	/* NOLINT(performance-no-int-to-ptr): the address is never read */
	at->ImageBase = (VOID *)base;
	at->ImageSize = 4096;
	at->FilePath = (EFI_DEVICE_PATH *)(uintptr_t)of;
}

static void begin_with_table(void)
{
	begin();
	efi_images_unwatch();
	fake_services.CloseEvent(end);
	fake_uninstall(&image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	put(&one, 1, &first_path);
	put(&other, 2, &second_path);
	table.count = 1;
	fake_set_table(table_guid, &table);
	fake_install(&one, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &one);
	locate = fake_services.LocateHandleBuffer;
	fake_services.LocateHandleBuffer = count_looks;
	hearings = 0;
	assert_int_equal(efi_images_watch(&watcher), 0);
	looks = 0;
}

static void assert_heard(const long *these, unsigned count)
{
	assert_int_equal(hearings, count);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(heard[i], these[i]);
}
#define ASSERT_HEARD(...)                           \
	assert_heard((const long[]){ __VA_ARGS__ }, \
	             sizeof((const long[]){ __VA_ARGS__ }) / sizeof(long))

/* A driver that the dispatcher has started, and whose entry point fails. */
static void images_that_the_firmware_unloads_are_noticed_in_time(void **state)
{
	(void)state;
	begin_with_table();
	table.count++;
	fake_install(&other, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &other);
	ASSERT_HEARD(1, 2);
	looks = 0;
	fake_time_comes(TICK);
	assert_int_equal(looks, 0); /* without a reason nothing is allocated */
	table.count--;
	fake_uninstall(&other, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	ASSERT_HEARD(1, 2);
	fake_time_comes(TICK);
	ASSERT_HEARD(1, 2, -2);
	fake_time_comes(TICK);
	assert_int_equal(looks, 1);
	efi_images_unwatch();
	assert_int_equal(fake_open_events(), 0);
}

/* The check allocates memory, so the caller's key for the memory map may become invalid. */
static void leaving_checks_images_only_for_a_reason(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin_with_table();
		table.count -= i;
		fake_services.ExitBootServices(NULL, 0);
		assert_int_equal(looks, i);
		assert_int_equal(left, 1);
		efi_images_unwatch();
	}
}

/* The firmware has unloaded one image and loaded the other between two looks. */
static void a_handle_that_another_image_has_is_that_ones(void **state)
{
	(void)state;
	begin_with_table();
	fake_uninstall(&one, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	put(&one, 3, &first_path);
	fake_install(&one, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &one);
	ASSERT_HEARD(1, -1, 3);
	fake_uninstall(&one, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	fake_install(&one, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &one);
	ASSERT_HEARD(1, -1, 3); /* reinstalled */
	efi_images_unwatch();
}

/* shim copies another image to memory itself, and describes it in its own loaded image protocol
 * while that image runs. Then it describes itself again. */
static EFI_STATUS EFIAPI start_as_shim(EFI_HANDLE handle, UINTN *size, CHAR16 **data)
{
	(void)size;
	(void)data;
	assert_ptr_equal(handle, &one);
	fake_time_comes(TICK);
	ASSERT_HEARD(1);
	put(&one, 3, &first_path);
	fake_time_comes(TICK);
	ASSERT_HEARD(1, 3); /* and shim is still there */
	assert_null(path);  /* the image does not have that path */
	put(&one, 4, &second_path);
	fake_time_comes(TICK);
	ASSERT_HEARD(1, 3, -3, 4);
	assert_ptr_equal(path, &second_path);
	looks = 0;
	fake_time_comes(TICK);
	assert_int_equal(looks, 0);
	put(&one, 1, &first_path);
	fake_time_comes(TICK);
	ASSERT_HEARD(1, 3, -3, 4, -4);
	put(&one, 5, &first_path);
	return EFI_SUCCESS;
}

static void an_image_that_another_image_places_is_seen_in_time(void **state)
{
	(void)state;
	begin_with_table();
	efi_images_unwatch();
	fake_services.StartImage = start_as_shim;
	hearings = 0;
	assert_int_equal(efi_images_watch(&watcher), 0);
	fake_services.StartImage(&one, NULL, NULL);
	ASSERT_HEARD(1, 3, -3, 4, -4, 5); /* also when it returns */
	looks = 0;
	fake_time_comes(TICK);
	put(&one, 6, &first_path);
	fake_time_comes(TICK);
	assert_int_equal(looks, 0); /* the check does not run */
	fake_uninstall(&one, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	table.count--;
	fake_install(&other, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &other);
	ASSERT_HEARD(1, 3, -3, 4, -4, 5, -1, -5, 2); /* both images disappear with the driver */
	efi_images_unwatch();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(images_that_the_firmware_unloads_are_noticed_in_time),
		cmocka_unit_test(leaving_checks_images_only_for_a_reason),
		cmocka_unit_test(a_handle_that_another_image_has_is_that_ones),
		cmocka_unit_test(an_image_that_another_image_places_is_seen_in_time),
		cmocka_unit_test(starts_and_exits_are_reported),
		cmocka_unit_test(leaving_with_an_old_map_must_be_repeated),
		cmocka_unit_test(leaving_past_the_hook_is_reported_once),
		cmocka_unit_test(watching_may_end_within_a_hook),
		cmocka_unit_test(a_hook_that_is_called_afterwards_hands_on),
		cmocka_unit_test(a_hook_above_ours_stays_and_reaches_the_firmware),
		cmocka_unit_test(a_hook_that_has_stayed_serves_the_next_recording),
		cmocka_unit_test(an_applications_hooks_are_removed_and_that_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
