#!/usr/bin/env bash
# Installs the release build into an empty prefix and uses it as an application would: a C program
# built with what pkg-config says, the same one built by a CMake project with find_package, and the
# installed command. The prefix is moved first, since packages are built in one place and used in
# another.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${PLANISH_BUILD:-$PWD/build/release}
model=$PWD/models/fashion_mnist/model.onnx

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/staged" >/dev/null
mv "$work/staged" "$work/prefix"
prefix=$work/prefix

cat >"$work/program.c" <<'EOF'
#include <planish/planish.h>
#include <stdio.h>
#include <string.h>

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, planish_last_error());
  return 1;
}

int main(int argc, char** argv) {
  static float pixels[28 * 28];
  const int64_t dims[] = {1, 1, 28, 28};
  const planish_tensor image = {PLANISH_FLOAT32, 4, dims, pixels, sizeof pixels};
  planish_plan* plan;
  planish_context* context;
  planish_tensor scores;
  if (argc != 2 || strcmp(planish_version(), VERSION) != 0) return 2;
  if (planish_open("no such file", NULL, &plan) == PLANISH_OK) return 3;
  if (planish_open(argv[1], NULL, &plan) != PLANISH_OK) return failed("open");
  if (planish_context_create(plan, &context) != PLANISH_OK) return failed("context");
  if (planish_set_tensor(context, 0, &image) != PLANISH_OK) return failed("input");
  if (planish_run(context) != PLANISH_OK) return failed("run");
  if (planish_output_tensor(context, 0, &scores) != PLANISH_OK) return failed("output");
  printf("%zu bytes of %s\n", scores.bytes, planish_output_type(plan, 0));
  planish_context_destroy(context);
  planish_close(plan);
  return scores.bytes == 10 * sizeof(float) ? 0 : 4;
}
EOF

pc=$(find "$prefix" -name planish.pc)
export PKG_CONFIG_PATH=${pc%/*}
version=$(pkg-config --modversion planish)
read -ra flags <<<"$(pkg-config --cflags --libs planish)"

# The header is plain C and plain C++, without a warning.
for language in 'gcc -std=c99 -x c' 'g++ -std=c++11 -x c++'; do
  $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only "${flags[@]}" "$prefix/include/planish/planish.h"
done

gcc -std=c99 -Wall -Wextra -Werror -DVERSION="\"$version\"" "$work/program.c" -o "$work/by_pkg_config" \
  "${flags[@]}"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir planish) "$work/by_pkg_config" "$model"

cat >"$work/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(planish $version REQUIRED)
add_executable(by_cmake program.c)
target_link_libraries(by_cmake PRIVATE planish::planish)
target_compile_definitions(by_cmake PRIVATE VERSION="\${planish_VERSION}")
EOF
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/by_cmake" "$model"

# The library defines nothing of its own but planish.h (weak copies of the standard library's templates
# are not its own).
library=$(find "$prefix" -name libplanish.so)
foreign=$(nm -D --defined-only "$library" | awk '$2 ~ /[TDBR]/ && $3 !~ /^planish_/ {print $3}' | c++filt)
if [ -n "$foreign" ]; then
  echo "install: libplanish.so exports names that are not planish_*:"
  head -n 20 <<<"$foreign"
  exit 1
fi

"$prefix/bin/planish" --version
echo "install: header, library, pkg-config, find_package and command work from $(du -sh "$prefix" | cut -f1)"
