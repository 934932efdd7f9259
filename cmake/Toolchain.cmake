# Compiler settings shared by every target. The presets (CMakePresets.json) choose among them.

set(ALLOT_SANITIZE "" CACHE STRING "sanitizers for the whole build: address,undefined or thread")
option(ALLOT_FUZZ "build the libFuzzer targets (clang only)" OFF)

# The dev build compiles the same sources with all warnings. With optimization and precompiled headers, g++ 12 warns about std::string itself.
if(CMAKE_BUILD_TYPE STREQUAL Release)
  add_compile_options(-w)
else()
  add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Werror=return-type -Werror=unused-result)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-maybe-uninitialized)  # g++ 14 and any sanitizer: false alarms inside std::optional by the page
else()
  add_compile_options(-Wno-deprecated-declarations)  # clang 19 on libstdc++ 12's own std::stable_sort
endif()

if(ALLOT_SANITIZE)
  add_compile_options(-fsanitize=${ALLOT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ALLOT_SANITIZE})
endif()
if(ALLOT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_BUILD_TYPE STREQUAL Release)
  add_compile_options(-ffunction-sections -fdata-sections)  # so that the linker can leave out what is not used
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # Paths are taken relative to the sources, so that one clone finds what another has compiled. What else ccache wants to be told before it
  # keeps what was compiled with a precompiled header: none of ours uses __TIME__, or macros that are defined otherwise for one file.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
                                  CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 ${CCACHE})
endif()

find_program(MOLD mold)
if(MOLD AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=mold)
endif()

find_package(Threads REQUIRED)
