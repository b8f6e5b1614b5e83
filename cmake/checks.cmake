# Tests of the project's own rules. Each is a script under scripts/ with nothing but Python's
# standard library; each can be run by hand, and each proves with --self-test that it can fail.
# Label `checks`: they read the sources, not the build, so scripts/test.sh runs them only once.

find_package(Python3 3.11 COMPONENTS Interpreter)
if(NOT Python3_FOUND OR NOT EXISTS "${CMAKE_SOURCE_DIR}/.git")
  message(STATUS "No Python 3.11 or no Git checkout: the checks of the project's own rules are left out")
  return()
endif()

function(planish_check name script)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/${script} ${ARGN}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS checks)
endfunction()

planish_check(layers check_layers.py)
planish_check(layers.self_test check_layers.py --self-test)
planish_check(docs_links check_docs.py)
planish_check(docs_links.self_test check_docs.py --self-test)
# Size, white space, machine paths, script syntax.
planish_check(files check_files.py)
planish_check(files.self_test check_files.py --self-test)
planish_check(format check_format.py)

# Without inlining every std:: helper is a function of its own, so only the optimised build tells.
# No label: it reads the objects of this build.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT PLANISH_SANITIZE)
  add_test(NAME isa_symbols
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_isa_symbols.py ${CMAKE_BINARY_DIR})
  add_test(NAME isa_symbols.self_test
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_isa_symbols.py
                   --self-test ${CMAKE_CXX_COMPILER})
endif()

add_test(NAME operators_doc
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_operators_doc.py $<TARGET_FILE:planish_command>)
add_test(NAME operators_doc.self_test
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_operators_doc.py --self-test)

# `thread_tests` builds the executables that hold tests named *Threads*, for the thread sanitizer's
# stage of scripts/test.sh: building the other tests too would double its time for nothing.
# thread_tests.txt lists them.
function(planish_tests_with_threads directory out)
  set(found)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(sources ${target} SOURCES)
    if(NOT type STREQUAL "EXECUTABLE" OR NOT target MATCHES "_test$")
      continue()
    endif()
    foreach(source IN LISTS sources)
      file(REAL_PATH "${source}" source BASE_DIRECTORY ${directory})
      file(STRINGS ${source} tests REGEX "TEST(_F|_P)?\\(.*Threads" LIMIT_COUNT 1)
      if(tests)
        list(APPEND found ${target})
        break()
      endif()
    endforeach()
  endforeach()
  get_property(subdirectories DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(subdirectory IN LISTS subdirectories)
    planish_tests_with_threads(${subdirectory} below)
    list(APPEND found ${below})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

planish_tests_with_threads(${CMAKE_SOURCE_DIR} thread_tests)
add_custom_target(thread_tests)
if(thread_tests)
  add_dependencies(thread_tests ${thread_tests})
endif()
list(JOIN thread_tests "\n" thread_tests)
file(WRITE ${CMAKE_BINARY_DIR}/thread_tests.txt "${thread_tests}")
