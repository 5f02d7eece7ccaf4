/* SPDX-License-Identifier: MIT */
/* A card can be used only if the firmware does not use it, and afterwards the firmware cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/pci/pci_access.h"
#include "tests/unit/lib/efi/fake_firmware.h"

#define CARD(n)                                                                                   \
	{                                                                                         \
		2, 1, 12, 0, 0xd0, 0x41, 0x03, 0x0a, 0, 0, 0, 0, 1, 1, 6, 0, 0, n, 0x7f, 0xff, 4, \
		    0                                                                             \
	}
static uint8_t paths[2][22] = { CARD(3), CARD(4) };
static EFI_PCI_IO_PROTOCOL cards[2];
static EFI_HANDLE owner; /* owner of the second card */
static unsigned refusals;

static EFI_STATUS EFIAPI open_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface,
                                       EFI_HANDLE agent, EFI_HANDLE controller, UINT32 attributes)
{
	(void)guid;
	*interface = &cards[1];
	assert_ptr_equal(handle, paths[1]);
	assert_ptr_equal(controller, paths[1]);
	assert_int_equal(attributes, EFI_OPEN_PROTOCOL_BY_DRIVER);
	refusals += !!owner;
	if (owner)
		return EFI_ACCESS_DENIED;
	owner = agent;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_protocol(EFI_HANDLE handle, EFI_GUID *guid, EFI_HANDLE agent,
                                        EFI_HANDLE controller)
{
	(void)guid;
	assert_ptr_equal(handle, paths[1]);
	assert_ptr_equal(controller, paths[1]);
	assert_ptr_equal(agent, owner);
	owner = NULL;
	return EFI_SUCCESS;
}

static int begin(void **state)
{
	(void)state;
	fake_firmware_begin();
	fake_services.OpenProtocol = open_protocol;
	fake_services.CloseProtocol = close_protocol;
	efi_image = &cards;
	owner = NULL;
	refusals = 0;
	for (unsigned i = 0; i < 2; i++) {
		fake_install(paths[i], (EFI_GUID)EFI_PCI_IO_PROTOCOL_GUID, &cards[i]);
		fake_install(paths[i], (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID, paths[i]);
	}
	fake_set_variable(u"ConIn", paths[0], sizeof(paths[0]));
	return 0;
}

static void a_card_is_claimed_and_let_go(void **state)
{
	(void)state;
	assert_true(pci_by_firmware.claim(&cards[1]));
	assert_ptr_equal(owner, efi_image);
	pci_by_firmware.release(&cards[1]);
	assert_null(owner);
}

static void a_drivers_data_are_its_own(void **state)
{
	(void)state;
	owner = &owner;
	assert_false(pci_by_firmware.claim(&cards[1]));
	assert_int_equal(refusals, 1);
}

static void a_console_stays_the_firmware_s(void **state)
{
	static const CHAR16 *const names[] = { u"ConIn", u"ConOut", u"ErrOut" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		begin(NULL);
		fake_set_variable(names[i], paths[1], sizeof(paths[1]));
		assert_false(pci_by_firmware.claim(&cards[1]));
	}
	assert_false(pci_by_firmware.claim(&cards[0])); /* claimed by the last begin() */
}

static void an_unknown_device_counts_as_a_console(void **state)
{
	static const uint8_t many[5000];

	(void)state;
	fake_variable_fails(u"ErrOut", EFI_DEVICE_ERROR, 0);
	assert_false(pci_by_firmware.claim(&cards[1]));
	fake_variable_fails(u"ErrOut", 0, 0);
	fake_set_variable(u"ConOut", many, sizeof(many));
	assert_false(pci_by_firmware.claim(&cards[1]));
	fake_set_variable(u"ConOut", NULL, 0);
	fake_uninstall(paths[1], (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID);
	assert_false(pci_by_firmware.claim(&cards[1]));
	fake_uninstall(paths[1], (EFI_GUID)EFI_PCI_IO_PROTOCOL_GUID);
	assert_false(pci_by_firmware.claim(&cards[1]));
	assert_null(owner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_card_is_claimed_and_let_go, begin),
		cmocka_unit_test_setup(a_drivers_data_are_its_own, begin),
		cmocka_unit_test_setup(a_console_stays_the_firmware_s, begin),
		cmocka_unit_test_setup(an_unknown_device_counts_as_a_console, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
