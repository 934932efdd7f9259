# allot_area(NAME [FOLDERS folder...] [USES area...] [TEST_USES area...] [PRIVATE library...])
#   src/NAME/*.cc, and those of its FOLDERS, but the tests become the library allot_NAME;
#   the *_test.cc among them become the program NAME_test, every TEST of it one ctest test with the label `unit`;
#   only NAME_test links the areas of TEST_USES.

include(Unity)
include(Testing)

function(allot_area name)
  cmake_parse_arguments(AREA "" "" "FOLDERS;USES;TEST_USES;PRIVATE" ${ARGN})
  set(globs ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  foreach(folder ${AREA_FOLDERS})
    list(APPEND globs ${CMAKE_SOURCE_DIR}/src/${name}/${folder}/*.cc)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${globs})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  add_library(allot_${name} STATIC ${sources})
  allot_unity(allot_${name} ${sources})
  allot_std_headers(allot_${name})
  target_include_directories(allot_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  list(TRANSFORM AREA_USES PREPEND allot_)
  target_link_libraries(allot_${name} PUBLIC ${AREA_USES} Threads::Threads PRIVATE ${AREA_PRIVATE})

  if(tests)
    list(TRANSFORM AREA_TEST_USES PREPEND allot_)
    allot_gtest(${name}_test ${tests} USES allot_${name} ${AREA_TEST_USES})
  endif()
endfunction()
