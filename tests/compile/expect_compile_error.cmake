# cmake -DSOURCE=FILE -P expect_compile_error.cmake -- COMPILER FLAG ...
#
# FILE must compile if LEGAL is defined, which shows that nothing else is wrong with it. Otherwise it must not, and
# the compiler's message must match the regular expression of its first line, "// EXPECTED: ...". If the second line is
# "// LINES: N", the message has at most N lines. If the third line is "// CODE", the compiler makes code, as clang++ must
# before it heeds [[gnu::error]]; "// CODE -O1" adds flags, and leaves out the precompiled header, which was made without.
cmake_minimum_required(VERSION 3.20)
include("${CMAKE_CURRENT_LIST_DIR}/script.cmake")

file(READ "${SOURCE}" text)
if(NOT text MATCHES "^// EXPECTED: ([^\n]+)\n")
  message(FATAL_ERROR "${SOURCE} does not begin with '// EXPECTED: ' and a regular expression")
endif()
set(expected "${CMAKE_MATCH_1}")
if(text MATCHES "^[^\n]+\n[^\n]+\n// CODE([^\n]*)\n")
  list(REMOVE_ITEM compiler -fsyntax-only)
  list(APPEND compiler -c -o /dev/null)
  if(CMAKE_MATCH_1)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_1}")
    list(FIND compiler -include included)
    math(EXPR precompiled "${included} + 1")
    list(REMOVE_AT compiler ${included} ${precompiled})
    list(APPEND compiler ${flags})
  endif()
endif()

execute_process(COMMAND ${compiler} -DLEGAL "${SOURCE}" RESULT_VARIABLE status ERROR_VARIABLE message)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} does not compile even where it is legal:\n${message}")
endif()

execute_process(COMMAND ${compiler} "${SOURCE}" RESULT_VARIABLE status ERROR_VARIABLE message)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, and should not")
endif()
if(NOT message MATCHES "${expected}")
  message(FATAL_ERROR "the message does not match ${expected}:\n${message}")
endif()
if(text MATCHES "^[^\n]+\n// LINES: ([0-9]+)\n")
  set(most_lines "${CMAKE_MATCH_1}")
  string(REGEX MATCHALL "\n" lines "${message}")
  list(LENGTH lines line_count)
  if(line_count GREATER most_lines)
    message(FATAL_ERROR "the message has ${line_count} lines, and may have ${most_lines}:\n${message}")
  endif()
endif()
