#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes what check-model boots: a stock Debian kernel, and an initramfs with
# busybox, perf, perf's libraries and our programs and scripts.
#
#   guest.sh x86_64|aarch64 DIRECTORY
#
# Leaves DIRECTORY/vmlinuz and DIRECTORY/initrd; for aarch64 also, if it can be
# had, DIRECTORY/vmlinuz-new of Debian's backports, whose kernel has a driver for
# BRBE (6.17 and later); exit status 77: the packages cannot be had.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
isa=$1
out=$2
case $isa in
x86_64)  arch=amd64 kernel=linux-image-cloud-amd64 cc=gcc ;;
aarch64) arch=arm64 kernel=linux-image-arm64 cc=aarch64-linux-gnu-gcc ;;
*)       echo "guest.sh: no such architecture: $isa" >&2; exit 2 ;;
esac
work=$out/work
mkdir -p "$work"
. "$here/apt.sh"

fetch()
{
	echo "guest.sh: fetching $kernel, perf and busybox for $arch" >&2
	apt_setup $arch deb || return
	apt_run $arch deb install -y --download-only --no-install-recommends \
		busybox-static linux-perf || return
	image=$(apt-cache -c "$work/apt-$arch-deb.conf" depends $kernel |
		sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p')
	(cd "$work" && apt_run $arch deb download "$image") || return
}

# The newest kernel of the backports. The image is in a package without dependencies that we need.
fetch_new_kernel()
{
	local suite=trixie-backports work=$work/new image
	mkdir -p "$work"
	apt_setup $arch deb || return
	image=$(apt-cache -c "$work/apt-$arch-deb.conf" search --names-only "^linux-binary-[0-9.]*[^-]*-$arch\$" |
		sed 's/ .*//' | sort -V | tail -n 1)
	[ -n "$image" ] || return
	(cd "$work" && apt_run $arch deb download "$image") || return
	dpkg -x "$work"/linux-binary-*.deb "$work/root"
	cp "$work"/root/usr/lib/modules/*/vmlinuz "$out/vmlinuz-new"
}

# The libraries of an ELF file, from the unpacked packages, recursively
libraries()
{
	local name path
	for name in $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		[ -e "$root/lib/$name" ] && continue
		path=$(find "$work/packages" -name "$name" | head -n 1)
		[ -n "$path" ] || { echo "guest.sh: no $name for $1" >&2; exit 1; }
		cp -L "$path" "$root/lib/$name"
		libraries "$root/lib/$name"
	done
}

unpack()
{
	rm -rf "$work/packages"
	mkdir "$work/packages"
	for deb in "$work"/apt-$arch-deb/cache/archives/*.deb "$work"/linux-image-*.deb; do
		dpkg -x "$deb" "$work/packages"
	done
}

# program NAME ITERATIONS FILE
program()
{
	$cc -nostdlib -static -no-pie -Wl,--build-id=none -g -D${1^^} -DITERATIONS=$2 \
		"$here/guest/loops.$isa.S" -o "$root/bin/$3"
}

programs()
{
	local name
	for name in spin calls stream ring deep; do
		program $name 1000000 $name
		program $name 1000 $name-short
	done
	for name in spin deep stream; do
		program $name 40000000 $name-long
	done
}

populate()
{
	local loader perf
	root=$work/root
	rm -rf "$root"
	mkdir -p "$root/bin" "$root/lib" "$root/lib64" "$root/tests" "$root/modules" \
		"$root/usr/share/misc"
	cp "$work/packages/bin/busybox" "$root/bin/"
	ln -s busybox "$root/bin/sh"
	perf=$(ls "$work"/packages/usr/bin/perf_* "$work"/packages/usr/bin/perf \
		2>/dev/null | while read -r f; do
		readelf -h "$f" >/dev/null 2>&1 && echo "$f" && break; done)
	cp "$perf" "$root/bin/perf"
	libraries "$root/bin/perf"
	loader=$(readelf -l "$root/bin/perf" |
		sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
	loader=$(basename "$loader")
	[ -e "$root/lib/$loader" ] ||
		cp -L "$(find "$work/packages" -name "$loader" | head -n 1)" "$root/lib/"
	[ -e "$root/lib64/$loader" ] || ln -s "/lib/$loader" "$root/lib64/$loader"
	find "$work/packages" -name arm_spe_pmu.ko -exec cp {} "$root/modules/" \;
	programs
	install -m 755 "$here/guest/init" "$root/init"
	cp "$here"/guest/*.test "$here/guest/lib.sh" "$root/tests/"
}

fetch || { echo "guest.sh: Debian's packages cannot be fetched" >&2; exit 77; }
unpack
populate
cp "$work"/packages/boot/vmlinuz-* "$out/vmlinuz"
[ $isa != aarch64 ] || fetch_new_kernel || echo "guest.sh: no kernel of trixie-backports: no check of BRBE" >&2
mkdir -p "$out/programs"
for name in spin calls stream ring; do
	cp "$root/bin/$name" "$root/bin/$name-short" "$out/programs/"
done
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) > "$out/initrd.new"
mv "$out/initrd.new" "$out/initrd"
rm -rf "$work"
