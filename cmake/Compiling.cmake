# How a target is compiled: how far it is optimised, and which headers are read once for all of its sources.
#
# `hot`: the rooms where time is spent, -O3. `cold`: the others, -O1, which compile in three quarters of the time.
# `test`: programs of tests, -Og; what they test stays as it is. In debug builds and under sanitizers all are as the
# build type says.
set(ISTHMUS_LEVEL_hot -O3)
set(ISTHMUS_LEVEL_cold -O1)
set(ISTHMUS_LEVEL_test -Og)

# GCC reads a precompiled header with the flags that it was made with, or dies, so that each kind has its own, and the
# flags of a kind stand here alone. Rooms lie in static libraries: none of their functions is replaced, so that GCC may
# inline them. A step with a large array must meet its stack's guard.
set(ISTHMUS_FLAGS_OF_KINDS -fno-semantic-interposition -fstack-clash-protection)

# A source includes what it uses all the same: `make lint` reads each without these.
set(ISTHMUS_READ_ONCE
  <algorithm> <array> <atomic> <chrono> <cstddef> <cstdint> <cstring> <deque> <filesystem> <functional> <limits> <map> <memory>
  <optional> <ranges> <span> <string> <string_view> <unordered_set> <utility> <variant> <vector> <fmt/format.h>
  <isthmus/engine/graph.hpp> <isthmus/stream.hpp>)
set(ISTHMUS_READ_ONCE_test <gmock/gmock.h> <gtest/gtest.h>)

# isthmus_level(KIND OUT): the options of a kind of target.
function(isthmus_level KIND OUT)
  set(${OUT} ${ISTHMUS_FLAGS_OF_KINDS} $<$<CONFIG:Release>:${ISTHMUS_LEVEL_${KIND}}> PARENT_SCOPE)
endfunction()

# The target whose headers those of a kind read.
function(isthmus_read_once KIND)
  set(name isthmus_read_once_${KIND})
  if(TARGET ${name})
    return()
  endif()
  find_package(fmt REQUIRED)
  set(source "${PROJECT_BINARY_DIR}/read_once/${KIND}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  isthmus_level(${KIND} level)
  target_compile_options(${name} PRIVATE ${level})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${name} PRIVATE isthmus_flags fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${ISTHMUS_READ_ONCE} ${ISTHMUS_READ_ONCE_${KIND}})
  if(KIND STREQUAL "test")
    target_compile_options(${name} PRIVATE -fPIE)  # a program's; the others are those of libraries
    target_link_libraries(${name} PRIVATE GTest::gmock)
  endif()
endfunction()

# isthmus_compiled(TARGET hot|cold|test)
function(isthmus_compiled TARGET KIND)
  isthmus_read_once(${KIND})
  isthmus_level(${KIND} level)
  target_compile_options(${TARGET} PRIVATE ${level})
  target_precompile_headers(${TARGET} REUSE_FROM isthmus_read_once_${KIND})
endfunction()
