# Build rules shared by every folder under src/.
#
#   planish_library(NAME [UNITY] SOURCES a.cc b.cc [CATALOG list.txt] [DEPS planish_base fmt::fmt]
#                   [PRECOMPILE ops/op.h])
#
# makes the static library planish_NAME from one folder, plus
#   * NAME_test      from every *_test.cc in the folder (GoogleTest),
#   * X_fuzz         from every X_fuzz.cc (libFuzzer under the fuzz preset; otherwise a replay of
#                    the kept corpus fuzz/corpus/X, so that fuzzers cannot rot),
#   * NAME_bench     from every *_bench.cc under the bench preset (Google Benchmark).
#
# PRECOMPILE names headers that most files of a large folder include: parsing them is more than half
# of its compile time. Files still include what they use: clang-tidy reads them without.
#
# UNITY compiles sixteen files as one unit, for folders of many small ones: what they share is parsed
# once. Names in their unnamed namespaces must then differ within the library. Tests stay on their own.
#
# A CATALOG is the folder's one explicit list: a text file with one entry a line ('#' starts a
# comment). Entry `foo` compiles foo.cc beside the list and puts PLANISH_ENTRY(foo) into the generated header
# `<folder>/catalog.inc`, from which the folder's registry is made. Adding an operator, a pass or a
# tactic is therefore one new file and one line.

find_package(fmt REQUIRED)
find_package(Threads REQUIRED)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(PLANISH_CCACHE ccache)
if(PLANISH_CCACHE)
  # Paths relative to the source folder let every build folder share one cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${PLANISH_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

add_library(planish_options INTERFACE)
target_compile_options(planish_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  -fno-math-errno
  # No contraction of a*b+c outside kernels that ask for it: the reference must not depend on flags.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives of these from inlined std::vector and std::variant code.
  target_compile_options(planish_options INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow
    -Wno-array-bounds -Wno-dangling-pointer -Wno-restrict -Wno-stringop-overread -Wno-free-nonheap-object)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # g++ is the compiler whose warnings are errors; clang builds the fuzzers and shows its own.
  # std::stable_sort of libstdc++ 12 calls a function that it marks as deprecated itself.
  target_compile_options(planish_options INTERFACE -Wno-deprecated-declarations -Wno-error
    # A time in a precompiled header makes every build of it another one for ccache.
    "SHELL:-Xclang -fno-pch-timestamp")
endif()
target_include_directories(planish_options INTERFACE
  ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/generated)

if(PLANISH_SANITIZE STREQUAL "address")
  set(planish_sanitizers -fsanitize=address,undefined)
  target_compile_options(planish_options INTERFACE -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(PLANISH_SANITIZE STREQUAL "thread")
  set(planish_sanitizers -fsanitize=thread)
endif()
target_compile_options(planish_options INTERFACE ${planish_sanitizers})
target_link_options(planish_options INTERFACE ${planish_sanitizers})
if(PLANISH_FUZZ)
  target_compile_options(planish_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(PLANISH_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # Tests spend their time in what they test; optimising their own code doubles its compile time.
  set(planish_test_optimization -O1)
  if(PLANISH_SANITIZE)
    set(planish_test_optimization -O0)
  endif()
endif()
if(PLANISH_BENCH)
  find_package(benchmark REQUIRED)
endif()

# Reads a catalogue file into OUT (entries in order).
function(planish_read_catalog file out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines)
  set(entries)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "#.*$" "" line "${line}")
    string(STRIP "${line}" line)
    if(NOT line STREQUAL "")
      list(APPEND entries ${line})
    endif()
  endforeach()
  set(${out} ${entries} PARENT_SCOPE)
endfunction()

function(planish_library name)
  cmake_parse_arguments(ARG "UNITY" "CATALOG" "SOURCES;DEPS;TEST_DEPS;PRECOMPILE" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  set(sources ${ARG_SOURCES})
  if(ARG_CATALOG)
    planish_read_catalog(${CMAKE_CURRENT_SOURCE_DIR}/${ARG_CATALOG} entries)
    get_filename_component(entries_folder ${ARG_CATALOG} DIRECTORY)
    if(entries_folder)
      string(APPEND entries_folder /)
    endif()
    set(text "// Generated from ${folder}/${ARG_CATALOG}.\n")
    foreach(entry IN LISTS entries)
      list(APPEND sources ${entries_folder}${entry}.cc)
      string(APPEND text "PLANISH_ENTRY(${entry})\n")
    endforeach()
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${folder}/catalog.inc CONTENT "${text}")
  endif()
  add_library(planish_${name} STATIC ${sources})
  target_link_libraries(planish_${name} PUBLIC planish_options ${ARG_DEPS})
  if(ARG_UNITY)
    set_target_properties(planish_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
  list(TRANSFORM ARG_PRECOMPILE PREPEND ${CMAKE_SOURCE_DIR}/src/)
  if(PLANISH_PRECOMPILE AND ARG_PRECOMPILE)
    target_precompile_headers(planish_${name} PRIVATE ${ARG_PRECOMPILE})
  endif()

  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  if(PLANISH_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE planish_${name} ${ARG_TEST_DEPS} GTest::gmock_main)
    target_compile_definitions(${name}_test PRIVATE
      PLANISH_SOURCE_DIR="${CMAKE_SOURCE_DIR}" PLANISH_SHARED_DEFAULT="${PLANISH_SHARED}")
    target_compile_options(${name}_test PRIVATE ${planish_test_optimization})
    if(PLANISH_PRECOMPILE AND ARG_PRECOMPILE)
      target_precompile_headers(${name}_test PRIVATE ${ARG_PRECOMPILE} <gmock/gmock.h>)
    endif()
    gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}.)
  endif()

  file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_fuzz.cc)
  foreach(source IN LISTS fuzzers)
    get_filename_component(target ${source} NAME_WE)
    string(REGEX REPLACE "_fuzz$" "" corpus ${target})
    if(PLANISH_FUZZ)
      add_executable(${target} ${source})
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    elseif(PLANISH_TESTS)
      add_executable(${target} ${source} ${CMAKE_SOURCE_DIR}/src/testing/fuzz_replay.cc)
      add_test(NAME fuzz_replay.${corpus} COMMAND ${target} ${CMAKE_SOURCE_DIR}/fuzz/corpus/${corpus})
    else()
      continue()
    endif()
    target_link_libraries(${target} PRIVATE planish_${name} ${ARG_TEST_DEPS})
  endforeach()

  file(GLOB benches CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_bench.cc)
  if(PLANISH_BENCH AND benches)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE planish_${name} ${ARG_TEST_DEPS} benchmark::benchmark_main)
  endif()
endfunction()
