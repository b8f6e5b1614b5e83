#!/usr/bin/env bash
# Everything that CI checks, in one command. `make test` installs what it needs and calls it.
#
#   scripts/test.sh [STAGE...]        all stages but tidy, or the named ones, in the order below
#
#   checks    the project's own rules: layers, layout, links, files (scripts/check_*.py)
#   release   the release build and all its tests
#   e2e       tests/*_test.sh and tests/*_test.py on the release build
#   asan      the tests but the slow ones under the address and undefined-behaviour sanitizers, in the
#             fuzzers' build: the same sanitizers, and one build less
#   tsan      the tests with threads under the thread sanitizer
#   fuzz      each fuzzer for a while (scripts/fuzz.py)
#   tidy      clang-tidy on files that changed, as far as its time goes (scripts/tidy.py); by name only
#
# A stage that fails does not stop the next ones, so one run shows all failures. asan, tsan, fuzz and
# tidy skip what has passed before with exactly the same inputs; FRESH=1 runs everything.
#
# A test named *Slow* is left out under asan; one named *Threads* runs under tsan.
#
#   PLANISH_SHARED   folder with handed models and cases (default ../shared); tests that need it are
#                    skipped without it, which is an error when CI=true
#   FUZZ_SECONDS     for each fuzzer (default 30);  TIDY_SECONDS   for clang-tidy (default 240)
#   JOBS             parallel jobs (default: the cores)
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc)}
shared=${PLANISH_SHARED:-../shared}
export PLANISH_SHARED
PLANISH_SHARED=$(realpath -m "$shared")
export CTEST_OUTPUT_ON_FAILURE=1
# Colours and progress bars have no place in a log.
export NO_COLOR=1 NINJA_STATUS='[%f/%t] '
logs=build/logs stamps=build/stamps
mkdir -p "$logs" "$stamps"

# --- what a stage is made of -----------------------------------------------------------------

# One hash of everything a build and its tests read: sources, scripts of the build, test data, the
# handed files (by name and size), the compilers.
inputs_hash() {
  {
    git ls-files -z --cached --others --exclude-standard -- \
      CMakeLists.txt CMakePresets.json cmake include src examples tests models fuzz | sort -z -u |
      xargs -0 sha256sum 2>/dev/null
    [ ! -d "$PLANISH_SHARED" ] || (cd "$PLANISH_SHARED" && find . -type f -printf '%p %s\n' | sort)
    g++ --version
    clang++-19 --version
  } 2>/dev/null | sha256sum | cut -d' ' -f1
}

# unchanged STAGE: whether the stage has passed with the inputs of now.
unchanged() {
  inputs=$(inputs_hash)
  [ -z "${FRESH:-}" ] && [ "$(cat "$stamps/$1" 2>/dev/null)" = "$inputs" ] || return 1
  echo "$1: unchanged since it passed: $(grep -h 'tests passed' "$logs/$1.passed" 2>/dev/null | tail -1)"
  note="unchanged since it passed"
}

# stamp STAGE: after it passed with the inputs that `unchanged` saw.
stamp() { printf '%s\n' "$inputs" >"$stamps/$1"; }

configure() {
  local preset=$1
  cmake --preset "$preset" -DPLANISH_SHARED="$PLANISH_SHARED" >"$logs/$preset.configure" 2>&1 ||
    { cat "$logs/$preset.configure"; echo "$preset: CMake failed"; return 1; }
}

# build PRESET [TARGET...]: prints only what went wrong.
build() {
  local preset=$1
  shift
  configure "$preset" || return 1
  cmake --build "build/$preset" -j "$jobs" ${1:+--target "$@"} -- -k 0 >"$logs/$preset.build" 2>&1 ||
    { grep -v '^\[' "$logs/$preset.build" | tail -n 200; echo "$preset: the build failed"; return 1; }
}

# What starts the tests, if not they themselves (see stage_tsan).
launcher=()

# run_ctest PRESET [OPTION...]: the passed tests' names stay in the log; failures, skips and the
# closing lines are shown.
run_ctest() {
  local preset=$1 log=$logs/$1.ctest result
  shift
  "${launcher[@]}" ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --no-tests=error --timeout 900 \
    "$@" >"$log" 2>&1
  result=$?
  if [ $result = 0 ]; then
    sed -n '/tests passed/,$p' "$log"
    cp "$log" "$logs/$preset.passed"
  else
    grep -v -E '^ *[0-9]+/[0-9]+ Test .* Passed |^ +Start +[0-9]+:' "$log" | tail -n 300
  fi
  return $result
}

# --- the stages ------------------------------------------------------------------------------

stage_checks() {
  local check result=0
  for check in layers docs files format; do
    python3 scripts/check_$check.py || result=1
    [ $check = format ] || python3 scripts/check_$check.py --self-test || result=1
  done
  return $result
}

stage_release() {
  # The label `checks` is the first stage's.
  build release && run_ctest release -LE checks
}

stage_e2e() {
  local test log passed=0 failed=0 runner
  build release || return 1
  for test in tests/*_test.sh tests/*_test.py; do
    [ -e "$test" ] || continue
    case $test in *.py) runner=build/venv/bin/python ;; *) runner=bash ;; esac
    log=$logs/$(basename "$test").log
    if PLANISH_BUILD=$PWD/build/release "$runner" "$test" >"$log" 2>&1 </dev/null; then
      echo "$test: $(tail -n 1 "$log")"
      passed=$((passed + 1))
    else
      tail -n 100 "$log"
      echo "$test: failed"
      failed=$((failed + 1))
    fi
  done
  [ $((passed + failed)) != 0 ] || note="no end-to-end tests yet"
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
}

stage_asan() {
  unchanged asan && return
  export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1
  export UBSAN_OPTIONS=print_stacktrace=1
  build fuzz && run_ctest fuzz -LE 'checks|slow' -E Slow && stamp asan
}

stage_tsan() {
  unchanged tsan && return
  configure tsan || return 1
  if [ ! -s build/tsan/thread_tests.txt ]; then
    note="no test is named *Threads*"
    echo "tsan: $note"
    return
  fi
  build tsan thread_tests || return 1
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
  # GCC 12's runtime wants its shadow memory where kernels with more than 28 random bits may put the
  # program, and ends with "unexpected memory mapping": fixed addresses for the tests there.
  if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ]; then
    local -a launcher=(setarch -R)
  fi
  run_ctest tsan -R Threads && stamp tsan
}

stage_fuzz() {
  # Only the fuzzers and what they link; the rest of the project would double the time.
  local -a fuzzers
  mapfile -t fuzzers < <(git ls-files 'src/*_fuzz.cc' | sed 's|.*/||; s|\.cc$||')
  [ ${#fuzzers[@]} != 0 ] || { note="no fuzzers yet"; return 0; }
  build fuzz "${fuzzers[@]}" || return 1
  python3 scripts/fuzz.py build/fuzz --seconds "${FUZZ_SECONDS:-30}" ${FRESH:+--again}
}

stage_tidy() {
  [ -z "${FRESH:-}" ] || rm -rf build/tidy
  configure fuzz || return 1
  python3 scripts/tidy.py build/fuzz --seconds "${TIDY_SECONDS:-240}"
}

# --- running them ----------------------------------------------------------------------------

rows=() failures=0
run_stage() {
  local name=$1 start=$SECONDS result=passed note=
  printf '\n== %s\n' "$name"
  # In this shell, so that a stage can leave a note; the log is written beside the terminal.
  if ! "stage_$name" > >(tee "$logs/$name.log") 2>&1; then
    result=FAILED
    failures=$((failures + 1))
  fi
  wait $! 2>/dev/null || true
  rows+=("$(printf '%-9s %-7s %5d s  %s' "$name" "$result" $((SECONDS - start)) "$note")")
}

all=(checks release e2e asan tsan fuzz)
[ $# -gt 0 ] || set -- "${all[@]}"
for name in "$@"; do
  [[ " ${all[*]} " = *" $name "* ]] || { echo "test: no stage \"$name\"; there are: ${all[*]}" >&2; exit 2; }
done

if [ ! -d "$PLANISH_SHARED" ]; then
  echo "test: no folder $shared with handed models and cases; the tests that need it are skipped"
  if [ "${CI:-}" = true ]; then
    failures=$((failures + 1))
    rows+=("$(printf '%-9s %-7s %5d s  %s' shared FAILED 0 'the handed models and cases are absent')")
  fi
fi
for name in "${all[@]}"; do
  [[ " $* " != *" $name "* ]] || run_stage "$name"
done

printf '\n== summary\n'
printf '%-9s %-7s %7s\n' stage result time
printf '%s\n' "${rows[@]}"
printf 'total     %15d s\n\n' "$SECONDS"
# The closing lines of the test runners once more, where whoever reads the end of the log finds them.
for name in "$@"; do
  [ ! -f "$logs/$name.log" ] || grep -h -E '^(.*: )?([0-9]+% tests passed|[0-9]+ passed, [0-9]+ failed)' "$logs/$name.log"
done
if [ $failures = 0 ]; then
  echo "test: all stages passed"
else
  echo "test: $failures failed"
  exit 1
fi
