# Builds for arm64 on another machine, with Debian's cross compiler and its packages for both machines (tools/setup --arm64).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_PATH ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-packages/usr/lib/aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT -L${CMAKE_LIBRARY_PATH})
