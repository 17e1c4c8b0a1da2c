# Runs PROGRAM and fails unless it succeeds and prints what EXPECTED holds.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE status)
file(READ "${EXPECTED}" expected)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM}: exit code ${status}")
endif()
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM}: expected\n${expected}got\n${printed}")
endif()
