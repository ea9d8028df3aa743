# cmake -DSOURCE=FILE -DCASE=NAME -P expect_compile_error.cmake -- COMPILER FLAG ...
#
# FILE with NAME defined must compile if LEGAL is true, which shows that nothing else is wrong with it. Otherwise it must
# not, and the compiler's message must match the regular expression of the first line below "#ifdef NAME",
# "// EXPECTED: ...". If "// LINES: N" follows, the message has at most N lines. If "// CODE" follows, the compiler makes
# code, as clang++ must before it heeds [[gnu::error]]; "// CODE -O1" adds flags, and leaves out the precompiled header,
# which was made without.
cmake_minimum_required(VERSION 3.20)
include("${CMAKE_CURRENT_LIST_DIR}/script.cmake")

file(READ "${SOURCE}" text)
if(NOT text MATCHES "#ifdef ${CASE}\n *// EXPECTED: ([^\n]+)\n( *// LINES: ([0-9]+)\n)?(// CODE([^\n]*)\n)?")
  message(FATAL_ERROR "in ${SOURCE}, no '// EXPECTED: ' and a regular expression follow '#ifdef ${CASE}'")
endif()
set(expected "${CMAKE_MATCH_1}")
set(most_lines "${CMAKE_MATCH_3}")
if(CMAKE_MATCH_4)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_5}")
  list(REMOVE_ITEM compiler -fsyntax-only)
  list(APPEND compiler -c -o /dev/null)
  if(flags)
    list(FIND compiler -include included)
    math(EXPR precompiled "${included} + 1")
    list(REMOVE_AT compiler ${included} ${precompiled})
    list(APPEND compiler ${flags})
  endif()
endif()
list(APPEND compiler "-D${CASE}" "${SOURCE}")

execute_process(COMMAND ${compiler} -DLEGAL=true RESULT_VARIABLE status ERROR_VARIABLE message)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${CASE} does not compile even where it is legal:\n${message}")
endif()

execute_process(COMMAND ${compiler} -DLEGAL=false RESULT_VARIABLE status ERROR_VARIABLE message)
if(status EQUAL 0)
  message(FATAL_ERROR "${CASE} compiles, and should not")
endif()
if(NOT message MATCHES "${expected}")
  message(FATAL_ERROR "the message does not match ${expected}:\n${message}")
endif()
if(most_lines)
  string(REGEX MATCHALL "\n" lines "${message}")
  list(LENGTH lines line_count)
  if(line_count GREATER most_lines)
    message(FATAL_ERROR "the message has ${line_count} lines, and may have ${most_lines}:\n${message}")
  endif()
endif()
