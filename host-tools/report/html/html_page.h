/* SPDX-License-Identifier: MIT */
/* The page without data. html/assemble builds it from html/page.html, the style sheet and the
 * scripts, and puts their hashes into the page's Content-Security-Policy. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_PAGE_H
#define HOST_TOOLS_REPORT_HTML_HTML_PAGE_H

#define HTML_PAGE_DATA "<!-- data -->\n" /* marks the place for the data; occurs once */

extern const char html_page[];

#endif
