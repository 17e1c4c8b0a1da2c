# A room is one folder of src/ with its public headers in include/isthmus/<room>/.

# isthmus_room(NAME USES lower-room ... PACKAGES package ... LINKS library ...): the library isthmus_NAME of all that is
# in the folder, which may link what those packages ("Boost COMPONENTS context" is one) define. INSTALLED puts it and its
# headers into the wheel (Package.cmake). Who installs it gets the rooms that it BRINGS too, though it uses none of them.
# Where time is spent the room is HOT, or some of its sources are (Compiling.cmake).
function(isthmus_room NAME)
  cmake_parse_arguments(ROOM "INSTALLED;HOT" "" "HOT_SOURCES;USES;BRINGS;PACKAGES;LINKS;PRIVATE_LINKS" ${ARGN})
  foreach(package ${ROOM_PACKAGES})
    string(REPLACE " " ";" words "${package}")
    find_package(${words} REQUIRED)
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" *.cpp)
  list(REMOVE_ITEM sources ${ROOM_HOT_SOURCES})
  list(TRANSFORM ROOM_USES PREPEND isthmus_ OUTPUT_VARIABLE uses)
  add_library(isthmus_${NAME} STATIC ${sources})
  add_library(Isthmus::${NAME} ALIAS isthmus_${NAME})
  set(kind cold)
  if(ROOM_HOT)
    set(kind hot)
  endif()
  isthmus_compiled(isthmus_${NAME} ${kind})
  target_include_directories(isthmus_${NAME} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(isthmus_${NAME} PUBLIC ${uses} ${ROOM_LINKS}
    PRIVATE $<BUILD_INTERFACE:isthmus_flags> ${ROOM_PRIVATE_LINKS})
  if(ROOM_HOT_SOURCES)
    add_library(isthmus_${NAME}_hot OBJECT ${ROOM_HOT_SOURCES})
    isthmus_compiled(isthmus_${NAME}_hot hot)
    target_include_directories(isthmus_${NAME}_hot PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(isthmus_${NAME}_hot PRIVATE isthmus_flags ${uses} ${ROOM_LINKS} ${ROOM_PRIVATE_LINKS})
    target_sources(isthmus_${NAME} PRIVATE $<TARGET_OBJECTS:isthmus_${NAME}_hot>)
  endif()
  if(ROOM_INSTALLED)
    isthmus_install_room(${NAME} USES ${ROOM_USES} BRINGS ${ROOM_BRINGS} PACKAGES ${ROOM_PACKAGES})
  endif()
endfunction()

# isthmus_test(NAME THREADED SOURCES ... LINKS ... DEFINES NAME=path ... STARTS program ...): a GoogleTest program, which
# ctest, with the label `random` where RapidCheck is linked, runs in four parts: a process costs more than most tests. A
# part is not run again once it passed with the same bytes (scripts/once). The program finds what it DEFINES and STARTS,
# which it has as ISTHMUS_<PROGRAM>, from its working folder, so that its bytes are the same in every clone.
#
# ThreadSanitizer gets what is THREADED: the others, of models among them, run on one thread.
function(isthmus_test NAME)
  cmake_parse_arguments(TEST "THREADED" "" "SOURCES;LINKS;DEFINES;STARTS" ${ARGN})
  if(ISTHMUS_SANITIZE STREQUAL "thread" AND NOT TEST_THREADED)
    return()
  endif()
  add_executable(${NAME} ${TEST_SOURCES})
  add_dependencies(isthmus_tests ${NAME})
  isthmus_compiled(${NAME} test)
  target_include_directories(${NAME} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${NAME} PRIVATE isthmus_flags ${TEST_LINKS} GTest::gmock GTest::gtest_main)
  foreach(started ${TEST_STARTS})
    string(REGEX REPLACE "^isthmus-" "" macro ${started})
    string(TOUPPER "ISTHMUS_${macro}" macro)
    string(REPLACE "-" "_" macro ${macro})
    list(APPEND TEST_DEFINES "${macro}=$<TARGET_FILE:${started}>")
    list(APPEND files $<TARGET_FILE:${started}>)
    add_dependencies(${NAME} ${started})
  endforeach()
  foreach(defined ${TEST_DEFINES})
    string(REGEX MATCH "^([^=]*)=(.*)$" both "${defined}")
    target_compile_definitions(${NAME} PRIVATE
      "${CMAKE_MATCH_1}=\"$<PATH:RELATIVE_PATH,${CMAKE_MATCH_2},${CMAKE_CURRENT_BINARY_DIR}>\"")
  endforeach()
  if(TEST_LINKS MATCHES rapidcheck)
    set(label LABELS random)
  endif()
  # Tests of higher rooms take longer; ctest begins with what costs most, so that no core waits for another at the end.
  set_property(GLOBAL APPEND PROPERTY ISTHMUS_TESTS_SO_FAR ${NAME})
  get_property(before GLOBAL PROPERTY ISTHMUS_TESTS_SO_FAR)
  list(LENGTH before cost)
  foreach(part RANGE 3)
    add_test(NAME ${NAME}.${part} COMMAND "${PROJECT_SOURCE_DIR}/scripts/once" $<TARGET_FILE:${NAME}> ${files})
    set_tests_properties(${NAME}.${part} PROPERTIES TIMEOUT 1800 COST ${cost} ${label}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

# isthmus_add_rooms(NAME...): adds each folder of src/ in the order given.
macro(isthmus_add_rooms)
  foreach(room ${ARGN})
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/src/${room}/CMakeLists.txt")
      add_subdirectory(src/${room})
    endif()
  endforeach()
endmacro()
