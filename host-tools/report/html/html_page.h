/* SPDX-License-Identifier: MIT */
/* The page without data: html/page.html with its style and scripts inside, and their hashes in its
 * Content-Security-Policy, as html/assemble puts them together. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_PAGE_H
#define HOST_TOOLS_REPORT_HTML_HTML_PAGE_H

#define HTML_PAGE_DATA "<!-- data -->\n" /* in it, once: where data go */

extern const char html_page[];

#endif
