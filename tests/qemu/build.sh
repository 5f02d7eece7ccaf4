#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds QEMU with the hardware model: Debian's source package, the model's
# files, and the patches that hook them into this version of QEMU;
# x86_64-softmmu and aarch64-softmmu.
#
# Prints the paths of the two binaries, x86_64's first; progress goes to the
# standard error.  Built once for each version and series of patches, in
# ${XDG_CACHE_HOME:-~/.cache}/bareperf; afterwards there is nothing to do, and
# nothing is asked of the network.
#
# --version 7.2|10.0  Debian 12's QEMU or Debian 13's.  By default that of the
#                     Debian that it runs on, or MODEL_VERSION of the environment
# --stock             without the model (what tests/bench compares with)
# --source            prints the version of Debian's source package, after these
#
# Exit status 77: the source, or something to build it with, cannot be had;
# 1: it was had, and cannot be patched or built.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/bareperf
jobs=${JOBS:-2}

refuse()
{
	echo "build.sh: $*" >&2
	exit 2
}

# The QEMU of the Debian that this is; of another distribution the newer one, which newer tools build.
default_version()
{
	case $(. /etc/os-release && echo "$ID $VERSION_ID") in
	"debian 12") echo 7.2 ;;
	*) echo 10.0 ;;
	esac
}

qemu=${MODEL_VERSION:-$(default_version)}
stock=
source=
while [ $# -gt 0 ]; do
	case $1 in
	--stock) stock=yes ;;
	--source) source=yes ;;
	--version)
		qemu=${2:-}
		shift $(($# > 1))
		;;
	*) refuse "unknown option $1; there are --version 7.2|10.0, --stock and --source" ;;
	esac
	shift
done

# shellcheck disable=SC2034 # suite is apt.sh's
# The versions that the patches were made for; if Debian no longer has one, the newest of the same upstream.
case $qemu in
7.2) upstream=1:7.2+dfsg- wanted=${upstream}7+deb12u18 suite=bookworm meson= ;;
10.0) upstream=1:10.0. wanted=${upstream}13+ds-0+deb13u1 suite=trixie meson=1.5 ;;
*) refuse "there is no hardware model for QEMU '$qemu', only for 7.2 and 10.0" ;;
esac
if [ "$stock" ]; then
	name=qemu-stock-$qemu
	patches=
	model=
else
	name=qemu-$qemu
	patches=$(ls "$here/patches/$qemu"/*.patch)
	model=
	# The series for 7.2 has the model's files in its patches.
	[ "$qemu" = 7.2 ] || model=$(find "$here/model" -name '*.[ch]' | sort)
fi

# Upstream's version, and the features that the tests use; others only cost time. The prefix does
# not exist: QEMU relocates paths below its prefix to its own directory, and Debian's firmware must
# keep its path.
# shellcheck disable=SC2054 # the comma is QEMU's
options=(
	--target-list=x86_64-softmmu,aarch64-softmmu
	--without-default-features
	--enable-tcg --enable-system --enable-fdt=system
	--enable-vvfat
	--disable-werror
	--prefix=/opt/bareperf-qemu
	--firmwarepath=/usr/share/qemu:/usr/share/seabios:/usr/lib/ipxe/qemu
)
# Debian 13's source has none of the firmware that QEMU's own has.
[ "$qemu" = 7.2 ] || options+=(--disable-install-blobs)

say()
{
	echo "build.sh: $*" >&2
}

skip()
{
	say "$*"
	exit 77
}

needed()
{
	local tool
	for tool in apt-get dpkg-source ninja pkg-config patch gcc bison flex python3; do
		command -v $tool >/dev/null || skip "$tool is missing (make deps)"
	done
	for lib in glib-2.0 pixman-1; do
		pkg-config --exists $lib || skip "$lib's headers are missing (make deps)"
	done
}

# Debian keeps only a release's latest version: use ours if it exists, otherwise its successor.
choose()
{
	local offered
	offered=$(APT_CONFIG=$work/apt-$1-deb-src.conf apt-cache showsrc --only-source qemu |
		sed -n 's/^Version: //p' | grep -F "$upstream" | sort -Vu)
	grep -Fx "$wanted" <<< "$offered" || tail -n 1 <<< "$offered"
}

# QEMU 10 needs a meson that Debian 12 has not.  Debian 13's is Python only: it runs from where it is unpacked.
fetch_meson()
{
	local have
	have=$(meson --version 2>/dev/null || echo 0)
	[ "$(printf '%s\n' "${meson:-0}" "$have" | sort -V | head -n 1)" != "$have" ] ||
		[ "$have" = "$meson" ] || {
		apt_setup "$1" deb || return
		(cd "$work" && apt_run "$1" deb download meson >&2) || return
		dpkg-deb -x "$work"/meson_*.deb "$work/meson"
	}
}

fetch()
{
	local arch chosen
	arch=$(dpkg --print-architecture)
	. "$here/apt.sh"
	say "fetching Debian's source package of QEMU"
	apt_setup "$arch" deb-src || return
	chosen=$(choose "$arch")
	[ -n "$chosen" ] || { say "Debian offers no qemu $upstream*"; return 1; }
	[ "$chosen" = "$wanted" ] || say "$wanted is gone: trying $chosen"
	fetch_meson "$arch" || return
	echo "$chosen" > "$work/chosen"
	cd "$work"
	apt_run "$arch" deb-src source --download-only "qemu=$chosen" >&2 || return
	dpkg-source --no-check -x qemu_*.dsc source >&2
}

apply()
{
	local p
	[ -z "$model" ] || cp -r "$here/model/." "$work/source/"
	for p in $patches; do
		say "applying $(basename "$p")"
		patch -d "$work/source" -p1 -s --no-backup-if-mismatch < "$p" >&2 || {
			say "$(basename "$p") does not fit QEMU $version"
			exit 1
		}
	done
}

# One line for each twentieth part done
progress()
{
	awk -F'[][/ ]' '/^\[[0-9]+\/[0-9]+\]/ {
		part = int(20 * $2 / $3)
		if (part != last) { printf "build.sh: %3d %%\n", 5 * part; fflush(); last = part }
		next
	} { print; fflush() }' >&2
}

build()
{
	say "configuring"
	mkdir "$work/build"
	cd "$work/build"
	if [ -d "$work/meson" ]; then
		export PYTHONPATH=$work/meson/usr/lib/python3/dist-packages
	fi
	"$work/source/configure" "${options[@]}" > configure.log 2>&1 || {
		tail -n 20 configure.log >&2
		exit 1
	}
	say "building, with $jobs jobs: some minutes, this once"
	nice -n 10 ninja -j "$jobs" qemu-system-x86_64 qemu-system-aarch64 2>&1 | progress
	for target in x86_64 aarch64; do
		strip -o "$work/qemu-system-$target" "qemu-system-$target"
	done
}

check()
{
	local target
	for target in x86_64 aarch64; do
		for device in ivshmem-plain ivshmem-doorbell; do
			"$work/qemu-system-$target" -M none -device help 2>&1 |
				grep -q "\"$device\"" || { say "$target has no $device"; exit 1; }
		done
	done
}

# $version, and its directory: the wanted version, or the one that replaced it at the last search
locate()
{
	local hash
	version=$(cat "$substitute" 2>/dev/null || echo "$wanted")
	hash=$({ echo "$version" "${options[@]}"; cat $patches $model /dev/null; } |
		sha256sum | cut -c1-12)
	out=$cache/$name-$hash
}

substitute=$cache/$name-in-place-of-${wanted##*-}
locate
if [ ! -x "$out/qemu-system-aarch64" ]; then
	set -o pipefail
	needed
	mkdir -p "$cache"
	exec 9> "$cache/$name.lock"
	flock 9
	locate
fi
if [ ! -x "$out/qemu-system-aarch64" ]; then
	work=$(mktemp -d "$cache/build-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	(fetch) || skip "Debian's source package of QEMU cannot be had"
	mv "$work/chosen" "$substitute"
	[ "$(cat "$substitute")" != "$wanted" ] || rm "$substitute"
	locate
	apply
	build
	check
	mkdir -p "$out"
	mv "$work/qemu-system-x86_64" "$work/qemu-system-aarch64" "$out/"
	say "done: $out"
fi
echo "$out/qemu-system-x86_64"
echo "$out/qemu-system-aarch64"
[ -z "$source" ] || echo "$version"
