/* SPDX-License-Identifier: MIT */
/* The devices that UEFI drivers manage. */
#ifndef LIB_EFI_EFI_DRIVERS_H
#define LIB_EFI_EFI_DRIVERS_H

#define EFI_DRIVERS_MAX 256U /* the most pairs that are reported */

/* module: the driver's image, as efi_image_name() names it; path: its device's path, as text in
 * printable ASCII. */
typedef void (*efi_driver_fn)(const char *module, const char *path);

/*
 * Report each pair of a driver and a device with a device path that it has opened to manage it
 * (OpenProtocol() with BY_DRIVER; UEFI 2.10, 7.3.9), in the firmware's order of the devices. The
 * paths are the firmware's own text (EFI_DEVICE_PATH_TO_TEXT_PROTOCOL; 10.6.2); without that
 * protocol nothing is reported. Boot services only, at TPL_CALLBACK at most. Thread.
 */
void efi_drivers_report(efi_driver_fn report);

#endif
