# Every test of the project is a ctest test with a label that says its kind: unit, conformance, lint, fuzz, ...
# In the builds with sanitizers (presets asan, tsan) the same tests have the name of the preset as label and prefix, so that one ctest run
# over several builds (tools/run_tests) can tell them apart. There a ctest test runs half of a GoogleTest program: with sanitizers, starting
# a process for each TEST takes longer than the tests.

# The release has programs and benchmarks, no unit tests: it builds without GoogleTest.
set(ALLOT_GTESTS ON)
if(ALLOT_FUZZ OR CMAKE_BUILD_TYPE STREQUAL Release)
  set(ALLOT_GTESTS OFF)
else()
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

set(ALLOT_FLAVOUR "")
if(ALLOT_SANITIZE MATCHES "address")
  set(ALLOT_FLAVOUR asan)
elseif(ALLOT_SANITIZE MATCHES "thread")
  set(ALLOT_FLAVOUR tsan)
endif()

# GoogleTest's headers are half of the time that a test takes to compile: they are compiled once for all. Headers of the system alone, so
# that ccache knows them again in another clone.
if(ALLOT_GTESTS)
  allot_precompiled(gtest_headers <gmock/gmock.h> <gtest/gtest.h>)
  target_link_libraries(gtest_headers PRIVATE GTest::gmock)
endif()

# allot_gtest(NAME SOURCE... [USES library...] [LABEL label])
#   A GoogleTest program; every TEST of it is a ctest test, except with sanitizers. LABEL is unit unless given. Nothing in the builds fuzz
#   and release.
function(allot_gtest name)
  cmake_parse_arguments(TEST "" "LABEL" "USES" ${ARGN})
  if(NOT ALLOT_GTESTS)
    return()
  endif()
  set(label unit)
  if(TEST_LABEL)
    set(label ${TEST_LABEL})
  endif()
  add_executable(${name} ${TEST_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${TEST_USES} allot_test_support GTest::gmock GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM gtest_headers)
  allot_unity(${name} ${TEST_UNPARSED_ARGUMENTS})
  if(NOT ALLOT_FLAVOUR)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label} TIMEOUT 120)
    return()
  endif()
  foreach(half 0 1)
    add_test(NAME ${ALLOT_FLAVOUR}.${name}.${half} COMMAND ${name})
    set_tests_properties(${ALLOT_FLAVOUR}.${name}.${half} PROPERTIES LABELS ${ALLOT_FLAVOUR} TIMEOUT 900 COST 100
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half}")
  endforeach()
endfunction()

# allot_test(NAME LABEL label COMMAND program argument... [TIMEOUT seconds])
#   A program or script that is one test: exit 0 passed, 77 skipped (tests/support/needs.sh), else failed. The fuzz build has only those
#   with the label fuzz.
function(allot_test name)
  cmake_parse_arguments(TEST "" "LABEL;TIMEOUT" "COMMAND" ${ARGN})
  if(ALLOT_FUZZ)
    if(NOT TEST_LABEL STREQUAL fuzz)
      return()
    endif()
  elseif(ALLOT_FLAVOUR)
    set(TEST_LABEL ${ALLOT_FLAVOUR})
    set(name ${ALLOT_FLAVOUR}.${name})
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${TEST_COMMAND} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABEL}" SKIP_RETURN_CODE 77 TIMEOUT ${TEST_TIMEOUT}
                       ENVIRONMENT "ALLOT_BUILD=${CMAKE_BINARY_DIR}")  # where scripts find the programs
  if(TEST_LABEL MATCHES "^(cluster|contract)$")
    # One real Kubernetes at a time is enough for a machine; the longest are started first.
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK kubernetes COST 2000)
  endif()
endfunction()
