# SPDX-License-Identifier: MIT
# ---- The page of `bareperf report --html`, which html_page.c includes ----

PAGE_DIR := host-tools/report/html
build/host/page.html: $(wildcard $(PAGE_DIR)/page.* $(PAGE_DIR)/*.js) $(PAGE_DIR)/assemble
	$(Q)mkdir -p $(@D)
	$(Q)$(PAGE_DIR)/assemble >$@ || { rm -f $@; exit 1; }
$(foreach variant,plain asan tsan fuzz,build/host/$(variant)/host-tools/report/html/html_page.o): build/host/page.html
