# A room is one folder of src/ with its public headers in include/isthmus/<room>/.

# isthmus_together(TARGET "apart.cpp ..." ...): for sanitizers and where ISTHMUS_TOGETHER is on, its sources are compiled
# twenty at a time, because reading headers is more than half of the work. Those listed have local names that others have
# too: each string is a group that is compiled together. The usual build compiles each source alone, so that one that lacks
# a header is found.
function(isthmus_together TARGET)
  if(NOT ISTHMUS_SANITIZE AND NOT ISTHMUS_TOGETHER)
    return()
  endif()
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(together ${TARGET} SOURCES)
  list(FILTER together INCLUDE REGEX "\\.cpp$")
  foreach(group ${ARGN})
    string(REPLACE " " ";" sources "${group}")
    list(REMOVE_ITEM together ${sources})
    list(LENGTH sources count)
    if(count GREATER 1)
      string(MAKE_C_IDENTIFIER "${group}" name)
      set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${name})
    endif()
  endforeach()
  while(together)
    list(SUBLIST together 0 20 sources)
    list(POP_FRONT sources first)
    string(MAKE_C_IDENTIFIER "${first}" name)
    set_source_files_properties(${first} ${sources} PROPERTIES UNITY_GROUP ${name})
    list(REMOVE_ITEM together ${first} ${sources})
  endwhile()
endfunction()

# isthmus_room(NAME USES lower-room ... PACKAGES package ... LINKS library ...): the library isthmus_NAME of all that is
# in the folder, which may link what those packages ("Boost COMPONENTS context" is one) define. INSTALLED puts it and its
# headers into the wheel (Package.cmake). Who installs it gets the rooms that it BRINGS too, though it uses none of them.
# APART as for isthmus_together.
function(isthmus_room NAME)
  cmake_parse_arguments(ROOM "INSTALLED" "" "APART;USES;BRINGS;PACKAGES;LINKS;PRIVATE_LINKS" ${ARGN})
  foreach(package ${ROOM_PACKAGES})
    string(REPLACE " " ";" words "${package}")
    find_package(${words} REQUIRED)
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" *.cpp)
  add_library(isthmus_${NAME} STATIC ${sources})
  add_library(Isthmus::${NAME} ALIAS isthmus_${NAME})
  isthmus_together(isthmus_${NAME} ${ROOM_APART})
  target_include_directories(isthmus_${NAME} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> PRIVATE "${PROJECT_SOURCE_DIR}/src")
  list(TRANSFORM ROOM_USES PREPEND isthmus_ OUTPUT_VARIABLE uses)
  target_link_libraries(isthmus_${NAME} PUBLIC ${uses} ${ROOM_LINKS}
    PRIVATE $<BUILD_INTERFACE:isthmus_flags> ${ROOM_PRIVATE_LINKS})
  if(ROOM_INSTALLED)
    isthmus_install_room(${NAME} USES ${ROOM_USES} BRINGS ${ROOM_BRINGS} PACKAGES ${ROOM_PACKAGES})
  endif()
endfunction()

# isthmus_test(NAME THREADED SOURCES ... APART ... LINKS ...): a GoogleTest program; each of its tests is one ctest,
# labelled `random` where RapidCheck is linked. ThreadSanitizer gets those that are THREADED: the others, of models among
# them, run on one thread.
function(isthmus_test NAME)
  cmake_parse_arguments(TEST "THREADED" "" "SOURCES;APART;LINKS" ${ARGN})
  if(ISTHMUS_SANITIZE STREQUAL "thread" AND NOT TEST_THREADED)
    return()
  endif()
  add_executable(${NAME} ${TEST_SOURCES})
  add_dependencies(isthmus_tests ${NAME})
  # What is tested stays at the level of the build; its tests compile in two thirds of the time.
  target_compile_options(${NAME} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-Og>)
  isthmus_together(${NAME} ${TEST_APART})
  target_include_directories(${NAME} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${NAME} PRIVATE isthmus_flags ${TEST_LINKS} GTest::gmock GTest::gtest_main)
  include(GoogleTest)
  if(TEST_LINKS MATCHES rapidcheck)
    set(label LABELS random)
  endif()
  gtest_discover_tests(${NAME} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 ${label})
endfunction()

# isthmus_add_rooms(NAME...): adds each folder of src/ in the order given.
macro(isthmus_add_rooms)
  foreach(room ${ARGN})
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/src/${room}/CMakeLists.txt")
      add_subdirectory(src/${room})
    endif()
  endforeach()
endmacro()
