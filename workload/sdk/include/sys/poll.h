/* SPDX-License-Identifier: MIT */
#include <poll.h>
