/* SPDX-License-Identifier: MIT */
/* Programs include it, as <termios.h>'s companion; a payload has no devices to ask anything of. */
#ifndef _SYS_IOCTL_H_
#define _SYS_IOCTL_H_

#endif
