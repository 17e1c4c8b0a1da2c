# What the wheel holds beside the Python package: the tools in isthmus/bin, the data files that tools and command read.
# Tools find data by walking up from their own folder, so the tree is the same installed and in the checkout.
add_custom_target(isthmus_tools)

# isthmus_tool(NAME SOURCES a.cpp ... LINKS Isthmus::room ...): an executable that the wheel carries.
function(isthmus_tool NAME)
  cmake_parse_arguments(TOOL "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${NAME} ${TOOL_SOURCES})
  target_include_directories(${NAME} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${NAME} PRIVATE isthmus_flags Isthmus::program ${TOOL_LINKS})
  install(TARGETS ${NAME} DESTINATION isthmus/bin COMPONENT wheel)
  add_dependencies(isthmus_tools ${NAME})
endfunction()

foreach(folder kernels configurations curves platforms papers examples docs/schemas)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}")
    install(DIRECTORY ${folder} DESTINATION isthmus COMPONENT wheel
      FILES_MATCHING PATTERN "*.cl" PATTERN "*.h" PATTERN "*.toml" PATTERN "*.json")
  endif()
endforeach()

# What the command says of its own making (`isthmus --version`).
execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" rev-parse --short HEAD
  OUTPUT_VARIABLE ISTHMUS_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE ISTHMUS_NO_COMMIT)
if(ISTHMUS_NO_COMMIT)
  set(ISTHMUS_COMMIT unknown)
endif()
file(CONFIGURE OUTPUT build.json CONTENT
  [[{"version": "@PROJECT_VERSION@", "commit": "@ISTHMUS_COMMIT@", "compiler": "@CMAKE_CXX_COMPILER_ID@ @CMAKE_CXX_COMPILER_VERSION@"}
]] @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/build.json" DESTINATION isthmus COMPONENT wheel)
