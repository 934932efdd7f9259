# allot_unity(TARGET SOURCE...)
#   Compiles several sources of the target as one where the preset says so (ALLOT_UNITY), because the compiler spends most of its time on
#   headers. tools/unity_groups decides which sources go together. The dev build compiles each source by itself, which is quicker after a
#   change.
#
# allot_precompiled(TARGET HEADER...)
#   An empty library with these headers of the system, compiled once for all targets that have them by REUSE_FROM.
#
# allot_std_headers(TARGET)
#   Compiles the common headers of the standard library once for all targets. The fuzz build does without, so that it notices some that
#   are missing.

option(ALLOT_UNITY "compile several sources as one" OFF)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# The release optimizes these areas for size, because they wait for people, processes and disks, and all others for speed.
set(ALLOT_SMALL allot_cli allot_control allot_device allot_local allot_node allot_view)

function(allot_precompiled target)
  file(WRITE ${CMAKE_BINARY_DIR}/${target}.cc "")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${target}.cc)
  target_link_libraries(${target} PRIVATE Threads::Threads)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # What clang precompiles differs from clone to clone. ccache reads this checksum of the headers instead (CCACHE_PCH_EXTSUM).
    list(TRANSFORM ARGN REPLACE "(.+)" "#include \\1\n" OUTPUT_VARIABLE includes)
    string(JOIN "" includes ${includes})
    file(WRITE ${CMAKE_BINARY_DIR}/${target}_all.cc "${includes}")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -E ${target}_all.cc WORKING_DIRECTORY ${CMAKE_BINARY_DIR} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    string(SHA256 sum "${text}")
    # An update of these headers configures again, and so changes the checksum.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -M ${target}_all.cc WORKING_DIRECTORY ${CMAKE_BINARY_DIR} OUTPUT_VARIABLE rule COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "/[^ \\\n]+" headers "${rule}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
    file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum "${CMAKE_CXX_COMPILER_VERSION} ${sum}\n")
  endif()
endfunction()

if(NOT ALLOT_FUZZ)
  foreach(target std_headers std_headers_small)
    allot_precompiled(${target} <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <cstdint> <deque> <functional> <map> <memory>
                      <mutex> <optional> <set> <span> <string> <string_view> <thread> <utility> <vector>)
  endforeach()
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(std_headers_small PRIVATE -Os)
  endif()
endif()

function(allot_std_headers target)
  set(headers std_headers)
  if(CMAKE_BUILD_TYPE STREQUAL Release AND target IN_LIST ALLOT_SMALL)
    set(headers std_headers_small)
    target_compile_options(${target} PRIVATE -Os)
  endif()
  if(TARGET ${headers})
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

function(allot_unity target)
  if(NOT ALLOT_UNITY)
    return()
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/unity_groups 12 ${CMAKE_BINARY_DIR}/unity/${target} ${ARGN}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  set_source_files_properties(${ARGN} PROPERTIES HEADER_FILE_ONLY ON)
  target_sources(${target} PRIVATE ${groups})
  # A new name in a source can change its group.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
endfunction()
