/* SPDX-License-Identifier: MIT */
#ifndef BOOT_CHANNEL_SERVICES_H
#define BOOT_CHANNEL_SERVICES_H

#include "channel/channel.h"

/* The firmware's services for a channel that opens. */
extern const struct channel_services channel_services;

#endif
