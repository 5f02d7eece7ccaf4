/* SPDX-License-Identifier: MIT */
/* Only for programs that include it together with <termios.h>; a payload has no devices. */
#ifndef _SYS_IOCTL_H_
#define _SYS_IOCTL_H_

#endif
