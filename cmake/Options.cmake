# Language level, warnings and the build variants every target shares.
option(ISTHMUS_TESTS "Build the tests" ON)
set(ISTHMUS_TEST_ROOMS base engine stream native fabric platform offload shared application flows program cluster probes apps hpcc layer tools rtl examples
  CACHE STRING "Folders of tests/ to build")
set(ISTHMUS_ROOMS base engine stream native fabric platform offload shared application flows program cluster probes apps hpcc layer tools
  CACHE STRING "Rooms to build, lowest first")
option(ISTHMUS_BENCHMARKS "Build the benchmarks" OFF)
option(ISTHMUS_GPU_BENCHMARKS "Build the benchmarks beside CUDA, where nvcc is" OFF)
option(ISTHMUS_WARNINGS_ARE_ERRORS "Off for compilers that warn of other things than GCC 12" ON)
option(ISTHMUS_BOOST_FIBERS "Switch stacks by Boost.Context on x86-64 too" OFF)
option(ISTHMUS_FUZZERS "Build the fuzzers (clang only)" OFF)
set(ISTHMUS_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
option(ISTHMUS_COVERAGE "Instrument for coverage" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# What was compiled in one clone is found from another: paths below the clone count relative to it. A precompiled header
# is told by its own bytes, so neither the macros that made it nor the times of its files count.
find_program(ISTHMUS_CCACHE ccache)
if(ISTHMUS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${ISTHMUS_CCACHE}")
endif()

# Programs are linked from static libraries: after a change of one source most of the time is the linker's.
find_program(ISTHMUS_MOLD mold)
if(ISTHMUS_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_link_options(-fuse-ld=mold)
endif()

add_library(isthmus_flags INTERFACE)
target_compile_options(isthmus_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC collects garbage from 128 MiB on, which is 7 % of the time to compile.
  target_compile_options(isthmus_flags INTERFACE --param=ggc-min-heapsize=1048576)
endif()
# Sanitizers hide from GCC that a value is set, of which it then warns falsely; the release build reads the same sources.
if(ISTHMUS_WARNINGS_ARE_ERRORS AND NOT ISTHMUS_SANITIZE)
  target_compile_options(isthmus_flags INTERFACE -Werror)
endif()
if(ISTHMUS_SANITIZE)
  target_compile_options(isthmus_flags INTERFACE -fsanitize=${ISTHMUS_SANITIZE} -fno-omit-frame-pointer)
  # GCC checks each access for these two, which is 40 % of the time to compile. The address sanitizer stops at a null
  # pointer anyway; the fuzzers, which Clang builds, look at alignment.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND ISTHMUS_SANITIZE MATCHES "undefined")
    target_compile_options(isthmus_flags INTERFACE -fno-sanitize=null,alignment)
  endif()
  target_link_options(isthmus_flags INTERFACE -fsanitize=${ISTHMUS_SANITIZE})
endif()
if(ISTHMUS_COVERAGE)
  target_compile_options(isthmus_flags INTERFACE --coverage)
  target_link_options(isthmus_flags INTERFACE --coverage)
endif()
