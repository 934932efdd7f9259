# allot_area(NAME [USES area...] [PRIVATE library...])
#   src/NAME/*.cc but the tests become the library allot_NAME;
#   src/NAME/*_test.cc become the program NAME_test, every TEST of it one ctest test with the label `unit`.

include(Testing)

function(allot_area name)
  cmake_parse_arguments(AREA "" "" "USES;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  add_library(allot_${name} STATIC ${sources})
  target_include_directories(allot_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  list(TRANSFORM AREA_USES PREPEND allot_)
  target_link_libraries(allot_${name} PUBLIC ${AREA_USES} Threads::Threads PRIVATE ${AREA_PRIVATE})

  if(tests)
    allot_gtest(${name}_test ${tests} USES allot_${name})
  endif()
endfunction()
