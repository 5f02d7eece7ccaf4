# SPDX-License-Identifier: GPL-2.0-or-later
# What the guest's scripts share.  Their output is sections, "@name" and then
# lines, which check-model judges; nothing is judged here.

section()
{
	echo "@$1"
}

# Counts of a program: "count,,event,..." lines
count()
{
	perf stat -x, -o /tmp/stat -e "$1" "$2" > /dev/null 2>&1
	grep -v '^#' /tmp/stat | grep .
}

# Record a program, quietly
record()
{
	perf record -q -o /tmp/data "$@" > /dev/null 2>&1
}

# Fields of the recorded samples, and how often each combination occurred
samples()
{
	perf script -i /tmp/data "$@" 2> /dev/null | sed 's/^ *//; s/  */ /g' |
		sort | uniq -c | sort -k1,1nr -k2 | sed 's/^ *//'
}

# The same of their callchains, each in a line, innermost first
callchains()
{
	perf script -i /tmp/data -F ip,sym 2> /dev/null | awk '
		NF { chain = chain " " $2; next }
		chain { print chain; chain = "" }
		END { if (chain) print chain }' | sort | uniq -c | sed 's/^ *//; s/  */ /g'
}

# Packets of all SPE records, without what differs from sample to sample
packets()
{
	perf script -i /tmp/data -D 2> /dev/null |
		grep -E ' (PC|TGT|VA|PA|B|LD|ST|EV|OTHER|CONTEXT) ' |
		sed 's/^.*:  *//; s/^\([0-9a-f][0-9a-f] \)* *//' |
		sort | uniq -c | sort -k1,1nr -k2 | sed 's/^ *//'
}

# The flags of all AUX records
aux_flags()
{
	perf script -i /tmp/data -D 2> /dev/null |
		sed -n 's/.*PERF_RECORD_AUX .*flags: //p' | sort | uniq -c |
		sed 's/^ *//'
}

# Edges in the last branch records of samples, all and calls alone
last_branches()
{
	local filter
	for filter in any any_call; do
		section lbr-$filter
		record -j $filter,u -e branches:u -c 997 calls
		samples -F brstack | tr ' ' '\n' | grep / | sort | uniq -c | sed 's/^ *//'
	done
}

# Have the host set a property of the CPU
set_property()
{
	echo "@set $1 $2"
	read -r answer
}

interrupts()
{
	grep "$1" /proc/interrupts | sed 's/  */ /g'
}
