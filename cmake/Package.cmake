# What `find_package(Isthmus)` finds in the wheel: headers, a static library for each installed room, and the files that
# describe them. Nothing in them depends on where the wheel is unpacked.
include(CMakePackageConfigHelpers)
set(ISTHMUS_CMAKE_FOLDER isthmus/lib/cmake/Isthmus)

# isthmus_install_room(NAME USES lower-room ... BRINGS room ... PACKAGES package ...)
function(isthmus_install_room NAME)
  cmake_parse_arguments(ROOM "" "" "USES;BRINGS;PACKAGES" ${ARGN})
  set_target_properties(isthmus_${NAME} PROPERTIES EXPORT_NAME ${NAME})
  target_include_directories(isthmus_${NAME} PUBLIC $<INSTALL_INTERFACE:isthmus/include>)
  target_compile_features(isthmus_${NAME} PUBLIC cxx_std_20)
  foreach(brought ${ROOM_BRINGS})
    target_link_libraries(isthmus_${NAME} INTERFACE $<INSTALL_INTERFACE:Isthmus::${brought}>)
  endforeach()
  install(TARGETS isthmus_${NAME} EXPORT Isthmus ARCHIVE DESTINATION isthmus/lib COMPONENT wheel)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/isthmus/${NAME}" DESTINATION isthmus/include/isthmus
    COMPONENT wheel FILES_MATCHING PATTERN "*.hpp")
  add_dependencies(isthmus_tools isthmus_${NAME})
  set_property(GLOBAL APPEND PROPERTY ISTHMUS_INSTALLED_ROOMS ${NAME})
  set_property(GLOBAL APPEND_STRING PROPERTY ISTHMUS_ROOM_NEEDS
    "set(isthmus_${NAME}_uses ${ROOM_USES} ${ROOM_BRINGS})\nset(isthmus_${NAME}_packages \"${ROOM_PACKAGES}\")\n")
endfunction()

# After all rooms.
function(isthmus_install_package)
  get_property(ISTHMUS_INSTALLED_ROOMS GLOBAL PROPERTY ISTHMUS_INSTALLED_ROOMS)
  get_property(ISTHMUS_ROOM_NEEDS GLOBAL PROPERTY ISTHMUS_ROOM_NEEDS)
  configure_package_config_file(cmake/IsthmusConfig.cmake.in IsthmusConfig.cmake
    INSTALL_DESTINATION ${ISTHMUS_CMAKE_FOLDER} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(IsthmusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(EXPORT Isthmus FILE IsthmusTargets.cmake NAMESPACE Isthmus:: DESTINATION ${ISTHMUS_CMAKE_FOLDER}
    COMPONENT wheel)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/IsthmusConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/IsthmusConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindHwloc.cmake" DESTINATION ${ISTHMUS_CMAKE_FOLDER} COMPONENT wheel)
  file(GLOB headers "${PROJECT_SOURCE_DIR}/include/isthmus/*.hpp")
  install(FILES ${headers} DESTINATION isthmus/include/isthmus COMPONENT wheel)
endfunction()
