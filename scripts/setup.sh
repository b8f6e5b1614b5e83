#!/usr/bin/env bash
# Installs what Planish needs on Debian 12, by package name, from whatever mirrors apt and pip use.
#
#   scripts/setup.sh [build] [test] [demo] [peers] [train]        (default: build)
#
#   build   compiler, CMake and the libraries that Planish links
#   test    the above + clang 19 (fuzzers, tidy, format) and the oracles in build/venv
#   demo    build + the Fashion-MNIST data set, and ONNX Runtime for one line of comparison, in
#           build/venv-demo; without it the demo runs all the same
#   peers   build + the runtimes the benchmarks run against, in build/venv-peers, and PyTorch
#   train   what training the shipped model takes: PyTorch and the data set
#
# Needs root, or sudo. What is there already is left alone: run again, it takes well under a second
# and no network. Safe to run twice at once.
set -euo pipefail
cd "$(dirname "$0")/.."

build_packages=(
  g++ cmake ninja-build make ccache pkg-config git ca-certificates
  libprotozero-dev libflatbuffers-dev flatbuffers-compiler    # the .onnx wire format, the plan's container
  libhwy-dev libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
  libjpeg62-turbo-dev libpng-dev zlib1g-dev libzip-dev zstd   # images, .npz, archives
  libre2-dev libxxhash-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  python3                                                     # the checks under scripts/
)
test_packages=(
  clang-19 libclang-rt-19-dev llvm-19    # a second compiler, libFuzzer, a symbolizer for its traces
  clang-format-19 clang-tidy-19
  binutils python3-venv
)
demo_packages=(dataset-fashion-mnist python3-venv)
peer_packages=(python3-venv python3-torch)
train_packages=(python3-torch python3-numpy dataset-fashion-mnist)

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo -- "$@"
  else
    fail "installing packages needs root: run this as root, or install sudo"
  fi
}

apt() {
  # The environment is given through env because sudo drops it. A mirror may hiccup: three tries.
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
    -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" </dev/null >build/setup.log 2>&1 ||
    { tail -n 40 build/setup.log >&2; fail "apt-get $1 failed"; }
}

# Prints those of the named packages that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sed -n 's/ installed$//p' <<<"$installed" | sort -u)
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} = 0 ] && return
  command -v apt-get >/dev/null || fail "no apt-get here; install by hand: ${missing[*]}"
  say "installing ${missing[*]}"
  apt update
  apt install --no-install-recommends "${missing[@]}"
}

# A Python of at least 3.11 that can make virtual environments. Debian's own comes first: it is the
# one that python3-venv above belongs to.
find_python() {
  local python
  for python in /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
  fail "no Python 3.11 or newer with the module venv; on Debian: python3 and python3-venv"
}

# install_venv DIR REQUIREMENTS: made once and stamped by what it was made from.
install_venv() {
  local dir=$1 requirements=$2 python stamp
  python=$(find_python) || return 1
  stamp=$({ "$python" --version; pwd; cat "$requirements"; } | sha256sum)
  [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ] && return
  say "making $dir from $requirements"
  rm -rf "$dir"
  "$python" -m venv "$dir" || return 1
  # Wheels only: an oracle that has to be compiled first is the wrong version for this machine.
  "$dir/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --retries 5 \
    --only-binary :all: -r "$requirements" </dev/null || return 1
  printf '%s\n' "$stamp" >"$dir/stamp"
}

packages=() venvs=() optional_venvs=()
[ $# -gt 0 ] || set -- build
for part in "$@"; do
  case $part in
    build) packages+=("${build_packages[@]}") ;;
    test)
      packages+=("${build_packages[@]}" "${test_packages[@]}")
      venvs+=("build/venv tests/requirements.txt")
      ;;
    demo)
      packages+=("${build_packages[@]}" "${demo_packages[@]}")
      optional_venvs+=("build/venv-demo tests/requirements-demo.txt")
      ;;
    peers)
      packages+=("${build_packages[@]}" "${peer_packages[@]}")
      venvs+=("build/venv-peers tests/requirements-peers.txt")
      ;;
    train) packages+=("${train_packages[@]}") ;;
    *) fail "unknown part \"$part\"; one of: build test demo peers train" ;;
  esac
done

mkdir -p build
exec 9>build/.setup.lock
flock 9
install_packages "${packages[@]}"
for venv in "${venvs[@]}"; do
  read -r dir requirements <<<"$venv"
  install_venv "$dir" "$requirements" || fail "$dir could not be made"
done
for venv in "${optional_venvs[@]}"; do
  read -r dir requirements <<<"$venv"
  install_venv "$dir" "$requirements" 2>build/setup.log ||
    say "$dir could not be made (build/setup.log says why): going on without it"
done
