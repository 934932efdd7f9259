# allot_unity(TARGET SOURCE...)
#   Compiles several sources of the target as one where the preset says so (ALLOT_UNITY): most of the time that a source takes goes into
#   headers. tools/unity_groups decides which ones. The dev build compiles each source by itself, which is quicker after a change and notices
#   a missing #include.

option(ALLOT_UNITY "compile several sources as one" OFF)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(allot_unity target)
  if(NOT ALLOT_UNITY)
    return()
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/unity_groups 12 ${CMAKE_BINARY_DIR}/unity/${target} ${ARGN}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  set_source_files_properties(${ARGN} PROPERTIES HEADER_FILE_ONLY ON)
  target_sources(${target} PRIVATE ${groups})
  # A name that is new in a source may part its group.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
endfunction()
