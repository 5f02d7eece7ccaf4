/* SPDX-License-Identifier: MIT */
/*
 * A handle's first place is where the firmware has loaded its image; it stays there as long as the
 * handle exists. If the handle's protocol shows another place later, the image itself has loaded a
 * second image there and presents it as itself (shim with GRUB). That one exists as long as the
 * protocol shows it.
 */
#include "lib/efi/efi_image_set.h"

#include "lib/efi/efi_image_name.h"

static struct known {
	EFI_HANDLE handle;
	uint64_t base, size;
	const EFI_DEVICE_PATH *path; /* the path in its protocol at that time */
	bool own;                    /* whether it is the handle's first place */
	bool there;
} known[EFI_IMAGES_MAX];
static unsigned nr_known, unreported;

static const struct efi_images_watcher *set_watcher;

void efi_image_set_begin(const struct efi_images_watcher *watcher)
{
	set_watcher = watcher;
	nr_known = unreported = 0;
}

/* protocol NULL: the image was unloaded. */
static void image_set_report(const struct known *image, const EFI_LOADED_IMAGE *protocol)
{
	struct efi_image_place place = { .base = image->base, .size = image->size };

	if (protocol)
		efi_image_describe(&place, protocol);
	set_watcher->report(set_watcher->context, &place, protocol);
}

static bool image_set_is_at(const struct known *image, const EFI_LOADED_IMAGE *protocol)
{
	return image->base == (uint64_t)protocol->ImageBase && image->size == protocol->ImageSize;
}

static struct known *image_set_find(EFI_HANDLE handle, const EFI_LOADED_IMAGE *protocol)
{
	for (unsigned i = 0; i < nr_known; i++)
		if (known[i].handle == handle && image_set_is_at(&known[i], protocol))
			return &known[i];
	return NULL;
}

/* The image that the firmware has loaded for this handle, or NULL. */
static const struct known *image_set_own(EFI_HANDLE handle)
{
	for (unsigned i = 0; i < nr_known; i++)
		if (known[i].handle == handle && known[i].own)
			return &known[i];
	return NULL;
}

static void image_set_forget_gone(void)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < nr_known; i++) {
		if (known[i].there)
			known[kept++] = known[i];
		else
			image_set_report(&known[i], NULL);
	}
	nr_known = kept;
}

/* Add an image. One that another image has placed often still has that image's path. Returns false
 * if there is no room. */
static bool image_set_add(EFI_HANDLE handle, const EFI_LOADED_IMAGE *protocol)
{
	struct known *image = image_set_find(handle, protocol);
	const struct known *own = image_set_own(handle);
	EFI_LOADED_IMAGE described = *protocol;

	if (image)
		image->own |= !own;
	if (image || nr_known == EFI_IMAGES_MAX)
		return image;
	if (own && own->path == protocol->FilePath)
		described.FilePath = NULL;
	image = &known[nr_known++];
	*image = (struct known){ .handle = handle,
		                 .base = (uint64_t)protocol->ImageBase,
		                 .size = protocol->ImageSize,
		                 .path = protocol->FilePath,
		                 .own = !own,
		                 .there = true };
	image_set_report(image, &described);
	return true;
}

const EFI_LOADED_IMAGE *efi_image_placed(EFI_HANDLE handle)
{
	const EFI_LOADED_IMAGE *protocol =
	    efi_protocol(handle, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);

	return protocol && protocol->ImageBase && protocol->ImageSize ? protocol : NULL;
}

static void image_set_mark_there(EFI_HANDLE handle, const EFI_LOADED_IMAGE *protocol)
{
	for (unsigned i = 0; i < nr_known; i++)
		if (known[i].handle == handle)
			known[i].there |= known[i].own || image_set_is_at(&known[i], protocol);
}

/* Report unloaded images first, because others may have their memory by now. */
void efi_image_set_compare(const EFI_HANDLE *handles, UINTN count)
{
	unsigned beyond = 0;

	for (unsigned i = 0; i < nr_known; i++)
		known[i].there = false;
	for (UINTN i = 0; i < count; i++) {
		const EFI_LOADED_IMAGE *protocol = efi_image_placed(handles[i]);

		if (protocol)
			image_set_mark_there(handles[i], protocol);
	}
	image_set_forget_gone();
	for (UINTN i = 0; i < count; i++) {
		const EFI_LOADED_IMAGE *protocol = efi_image_placed(handles[i]);

		beyond += protocol && !image_set_add(handles[i], protocol);
	}
	unreported = beyond > unreported ? beyond : unreported;
}

void efi_image_set_renew(EFI_HANDLE handle)
{
	for (unsigned i = 0; i < nr_known; i++)
		known[i].own &= known[i].handle != handle;
}

unsigned efi_image_set_unreported(void)
{
	return unreported;
}
