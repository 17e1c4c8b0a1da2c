# What the wheel holds beside the Python package: the tools in isthmus/bin, the data files that tools and command read.
# Tools find data by walking up from their own folder, so the tree is the same installed and in the checkout.
add_custom_target(isthmus_tools)

# isthmus_tool(NAME SOURCES a.cpp ... LINKS Isthmus::room ...): an executable that the wheel carries.
function(isthmus_tool NAME)
  cmake_parse_arguments(TOOL "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${NAME} ${TOOL_SOURCES})
  isthmus_level(cold level)
  target_compile_options(${NAME} PRIVATE ${level})
  target_include_directories(${NAME} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${NAME} PRIVATE isthmus_flags Isthmus::program ${TOOL_LINKS})
  install(TARGETS ${NAME} DESTINATION isthmus/bin COMPONENT wheel)
  add_dependencies(isthmus_tools ${NAME})
endfunction()

foreach(folder kernels configurations curves platforms papers examples)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}")
    install(DIRECTORY ${folder} DESTINATION isthmus COMPONENT wheel
      FILES_MATCHING PATTERN "*.cl" PATTERN "*.h" PATTERN "*.toml" PATTERN "*.json" PATTERN "*.py")
  endif()
endforeach()

# The schemas of what the command writes are made of its models of records.
find_package(Python REQUIRED COMPONENTS Interpreter)
install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND \"${CMAKE_COMMAND}\" -E env
  --modify \"PYTHONPATH=path_list_prepend:${PROJECT_SOURCE_DIR}/python\"
  \"${Python_EXECUTABLE}\" -B -m isthmus.results.schemas \"\${CMAKE_INSTALL_PREFIX}/isthmus/schemas\")" COMPONENT wheel)

# Licences of the libraries that the programs contain or bring.
foreach(package libfmt-dev libhwloc-dev libjpeg62-turbo-dev libpcap0.8-dev libpng-dev libssl-dev libtomlplusplus-dev)
  install(FILES "/usr/share/doc/${package}/copyright" DESTINATION isthmus/licences RENAME "${package}" COMPONENT wheel OPTIONAL)
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
