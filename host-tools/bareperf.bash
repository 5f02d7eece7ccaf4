# SPDX-License-Identifier: MIT
# bash completion of bareperf: commands, their options, files. What a program knows of itself is
# asked of it, so that nothing is said twice.

_bareperf_commands='run record stat attach top stop snapshot console reboot list import merge dump report annotate diff export flamegraph bench noise selftest'

_bareperf_options()
{
	bareperf "$@" --help 2>/dev/null | grep -oE -- '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,'
}

# The possible values of an option of the machine's own command; nothing: the option has no value.
_bareperf_value()
{
	case $1 in
	--until) echo 'ready-to-boot key 30s' ;;
	esac
}

# Words of the machine's own command, behind --, by its first ones.
_bareperf_guest()
{
	case $1 in
	record | top) echo '-e --event -c --count -F --freq -g --call-graph -b --branch-any -j
		--branch-filter -d --data -W --weight --phys-data -R --raw-samples -C --cpu -a --all-cpus -m
		--mmap-pages --overwrite --wakeup-events --watermark --max-sample-rate
		-D --delay --boot --until --lossless --lossless=cpu --lossless=freeze --aux-watermark
		--region-size -S
		--snapshot -o --output --then --resident --keep --exclusive
		--acpi --dtb --fetch --' ;;
	selftest) echo '--json --reset --then' ;;
	bench) echo '--uefi --calls --console --json --then' ;;
	noise) echo '-d --duration -p --period -T --threshold -C --cpu --json --then' ;;
	stat) echo '-e --event -C --cpu -a --all-cpus -A --no-aggr -D --delay --then --resident --exclusive
		--acpi --dtb --fetch --' ;;
	save) echo '-o --output' ;;
	register) if [ "${2-}" = record ]; then _bareperf_guest record; else echo record; fi ;;
	'') echo 'record stat top selftest noise bench save recover register unregister list version help' ;;
	esac
}

_bareperf()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	local command=${COMP_WORDS[1]}

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$_bareperf_commands help --help --version" -- "$cur")
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		[ "$command" = run ] && [ "${COMP_WORDS[i]}" = --outside ] && command='run --outside'
		[ "$command" = run ] && [ "${COMP_WORDS[i]}" = -- ] || continue
		local typed=("${COMP_WORDS[@]:i + 1:COMP_CWORD - i - 1}") next
		next=$(_bareperf_value "$prev")
		mapfile -t COMPREPLY < <(compgen -W "${next:-$(_bareperf_guest "${typed[@]:0:2}")}" -- "$cur")
		return
	done
	case $prev in
	--until)
		mapfile -t COMPREPLY < <(compgen -W "$(_bareperf_value "$prev")" -- "$cur")
		return
		;;
	-a | --arch)
		mapfile -t COMPREPLY < <(compgen -W 'x86_64 aarch64' -- "$cur")
		return
		;;
	help)
		mapfile -t COMPREPLY < <(compgen -W "$_bareperf_commands" -- "$cur")
		return
		;;
	esac
	if [[ $cur == -* && ( $command = record || $command = stat || $command = top ) ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$(_bareperf_options "$command") $(_bareperf_guest "$command")" -- "$cur")
	elif [[ $cur == -* ]]; then
		# shellcheck disable=SC2086 # two words: run --outside
		mapfile -t COMPREPLY < <(compgen -W "$(_bareperf_options $command) --" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o filenames -F _bareperf bareperf
