# The generators of random cases, for the differential tests, the benchmarks and the program allot_generate.

add_library(allot_conformance_generate STATIC
  ${CMAKE_CURRENT_LIST_DIR}/generate_allocator.cc
  ${CMAKE_CURRENT_LIST_DIR}/generate_amount.cc
  ${CMAKE_CURRENT_LIST_DIR}/generate_cel.cc
  ${CMAKE_CURRENT_LIST_DIR}/generate_cel_grammar.cc
  ${CMAKE_CURRENT_LIST_DIR}/generate_claims.cc
  ${CMAKE_CURRENT_LIST_DIR}/generate_cluster.cc
  ${CMAKE_CURRENT_LIST_DIR}/generate_device.cc
  ${CMAKE_CURRENT_LIST_DIR}/generate_puzzle.cc
  ${CMAKE_CURRENT_LIST_DIR}/generate_quantity.cc)
target_include_directories(allot_conformance_generate PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(allot_conformance_generate PRIVATE allot_base)

add_executable(allot_generate ${CMAKE_CURRENT_LIST_DIR}/generate_main.cc)
target_link_libraries(allot_generate PRIVATE allot_conformance_generate)
