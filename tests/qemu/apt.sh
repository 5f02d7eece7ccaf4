# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# A private apt: fetches Debian's packages, of any architecture and as source,
# without touching the system's configuration, lists or dpkg database.
# To be sourced; needs $work, a directory that it may fill, and takes $suite, a
# release of Debian's (bookworm).

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
security=${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}

# apt_setup ARCH TYPE: TYPE is deb or deb-src; leaves $work/apt-ARCH-TYPE.conf
apt_setup()
{
	local dir=$work/apt-$1-$2 release=${suite:-bookworm} from
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/state"
	: > "$dir/status"
	{
		echo "$mirror $release"
		case $release in
		*-backports) ;; # has neither updates nor security updates of its own
		*) echo "$mirror $release-updates" && echo "$security $release-security" ;;
		esac
	} | sed "s,.*,$2 [signed-by=$keyring] & main," > "$dir/sources.list"
	cat > "$work/apt-$1-$2.conf" <<-EOF
	Dir::State "$dir/state";
	Dir::State::Lists "$dir/lists";
	Dir::State::status "$dir/status";
	Dir::Cache "$dir/cache";
	Dir::Etc::sourcelist "$dir/sources.list";
	Dir::Etc::sourceparts "-";
	APT::Architecture "$1";
	APT::Architectures { "$1"; };
	APT::Sandbox::User "";
	APT::Get::AllowUnauthenticated "false";
	Acquire::Languages "none";
	Debug::NoLocking "true";
	EOF
	APT_CONFIG=$work/apt-$1-$2.conf apt-get -q=2 update
}

# apt_run ARCH TYPE ARGUMENT...: apt-get with that configuration
apt_run()
{
	local conf=$work/apt-$1-$2.conf
	shift 2
	APT_CONFIG=$conf apt-get -q=2 "$@"
}
