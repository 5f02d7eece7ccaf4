# SPDX-License-Identifier: GPL-2.0-or-later
# Code of all guest scripts. They print sections, "@name" followed by lines, which check-model
# judges; the scripts judge nothing.

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

# Fields of the recorded samples, and the number of each combination
samples()
{
	perf script -i /tmp/data "$@" 2> /dev/null | sed 's/^ *//; s/  */ /g' |
		sort | uniq -c | sort -k1,1nr -k2 | sed 's/^ *//'
}

# The same for their callchains, one per line, innermost first
callchains()
{
	perf script -i /tmp/data -F ip,sym 2> /dev/null | awk '
		NF { chain = chain " " $2; next }
		chain { print chain; chain = "" }
		END { if (chain) print chain }' | sort | uniq -c | sed 's/^ *//; s/  */ /g'
}

# Packets of all SPE records, without fields that differ from sample to sample
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

# Edges in the samples' last branch records, all of them and calls only
last_branches()
{
	local filter
	for filter in any any_call; do
		section lbr-$filter
		record -j $filter,u -e branches:u -c 997 calls
		samples -F brstack | tr ' ' '\n' | grep / | sort | uniq -c | sed 's/^ *//'
	done
}

# Let the host set a property of the CPU
set_property()
{
	echo "@set $1 $2"
	read -r answer
}

interrupts()
{
	grep "$1" /proc/interrupts | sed 's/  */ /g'
}
