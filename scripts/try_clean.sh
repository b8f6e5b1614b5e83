#!/usr/bin/env bash
# Tries the project as somebody would who has nothing but a minimal Debian 12: a fresh bookworm in a
# folder of its own, a clone of HEAD, the two packages a user needs to clone and to type make, and
# then the commands.
#
#   scripts/try_clean.sh [COMMAND...]          default: 'make demo' 'make test'
#
# Needs root and debootstrap. The mirrors, certificates and proxies are this machine's own. Takes
# about 3 GB under TMPDIR (default /var/tmp) and removes it at the end, unless KEEP=1.
set -euo pipefail
cd "$(dirname "$0")/.."

[ "$(id -u)" = 0 ] || { echo "try_clean: needs root (chroot, mount)" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "try_clean: install debootstrap first" >&2; exit 2; }
[ $# -gt 0 ] || set -- 'make demo' 'make test'

shared=$(realpath -m "${PLANISH_SHARED:-../shared}")
[ -z "$(git status --porcelain --untracked-files=no)" ] ||
  echo "try_clean: note: the clone is of HEAD; changes not committed are not in it"

root=$(mktemp -d "${TMPDIR:-/var/tmp}/planish-clean.XXXXXX")
chmod 755 "$root"  # apt fetches as a user of its own
clean_up() {
  local mount
  for mount in proc dev/shm dev; do
    umount "$root/$mount" 2>/dev/null || true
  done
  if [ -n "${KEEP:-}" ]; then
    echo "try_clean: kept $root"
  elif grep -q " $root/" /proc/mounts; then
    echo "try_clean: something is still mounted under $root; not removed" >&2
  else
    rm -rf --one-file-system "$root"
  fi
}
trap clean_up EXIT

copy() {  # copy FILE...: to the same place in the new root, if it exists
  local file
  for file in "$@"; do
    [ -e "$file" ] || continue
    mkdir -p "$root$(dirname "$file")"
    cp -aL "$file" "$root$(dirname "$file")/"
  done
}

echo "try_clean: a minimal Debian 12 in $root"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' |
  head -n 1)
debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 ||
  { tail -n 30 "$root.log"; exit 1; }
rm -f "$root.log"

# What this machine needs to reach packages: sources, what apt is told about fetching them,
# certificates, name service, pip's settings.
rm -f "$root/etc/apt/sources.list"
copy /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources \
  /etc/apt/auth.conf.d /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt \
  /usr/local/share/ca-certificates ${PIP_CERT:-} ${SSL_CERT_FILE:-}
grep -l 'Acquire::' /etc/apt/apt.conf.d/* 2>/dev/null | while read -r file; do copy "$file"; done
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"

home=/home/user
mkdir -p "$root$home"
git clone --quiet --no-hardlinks . "$root$home/planish"
[ ! -d "$shared" ] || cp -a "$shared" "$root$home/shared"
chown -R 0:0 "$root$home"

inside() {  # inside COMMAND LINE: with a new user's environment, as root, without a terminal
  local -a settings=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8)
  local name
  for name in http_proxy https_proxy no_proxy PIP_CERT PIP_INDEX_URL SSL_CERT_FILE CI; do
    [ -z "${!name:-}" ] || settings+=("$name=${!name}")
  done
  chroot "$root" env -i "${settings[@]}" bash -c "cd $home/planish 2>/dev/null; $1" </dev/null
}

inside 'export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq -y install --no-install-recommends git make' \
  >"$root/tmp/first.log" 2>&1 || { tail -n 30 "$root/tmp/first.log"; exit 1; }

for command in "$@"; do
  echo "try_clean: \$ $command"
  start=$SECONDS
  inside "$command"
  echo "try_clean: \"$command\" took $((SECONDS - start)) s"
done
