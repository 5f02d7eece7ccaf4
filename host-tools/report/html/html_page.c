/* SPDX-License-Identifier: MIT */
#include "host-tools/report/html/html_page.h"

__asm__(
    ".section .rodata\n"
    ".global html_page\n"
    "html_page:\n"
    ".incbin \"build/host/page.html\"\n"
    ".byte 0\n"
    ".previous\n");
