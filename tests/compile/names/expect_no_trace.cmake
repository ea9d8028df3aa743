# cmake -DSOURCE=FILE -DWORK=DIRECTORY -DNM=PROGRAM -DOBJDUMP=PROGRAM -P expect_no_trace.cmake -- COMPILER FLAG ...
#
# Without MALLARD_NAMES, a program with names has no symbol of the list, optimised or not. If it is optimised, a function that
# allocates has the same instructions as without names, and the texts of the names are gone.
cmake_minimum_required(VERSION 3.20)
include("${CMAKE_CURRENT_LIST_DIR}/../script.cmake")
file(MAKE_DIRECTORY "${WORK}")

function(run output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${errors}")
  endif()
  set(${output} "${said}" PARENT_SCOPE)
endfunction()

# Effects: compiles the program with these flags. Sets ${name}_list to its symbols of the list, ${name}_code to the
# instructions of fill(), as bytes.
function(compile name)
  set(object "${WORK}/${name}.o")
  run(ignored ${compiler} ${ARGN} -c "${SOURCE}" -o "${object}")
  run(symbols "${NM}" -C "${object}")
  string(REGEX MATCHALL "[^\n]*(name_list|name_entry|naming|with_names|names_held)[^\n]*" list "${symbols}")
  set(${name}_list "${list}" PARENT_SCOPE)
  # A line is "  14: e8 00 00 00 00  call ...": its bytes are compared, because they have no names of classes.
  set(only --disassemble)
  if(OBJDUMP MATCHES "llvm-objdump")
    set(only --disassemble-symbols)
  endif()
  run(code "${OBJDUMP}" -d -w ${only}=_Z4fillR4book "${object}")
  string(REGEX MATCHALL ":[ \t]+([0-9a-f][0-9a-f] )+" code "${code}")
  set(${name}_code "${code}" PARENT_SCOPE)
endfunction()

compile(with_list -O0 -DMALLARD_NAMES=1)
compile(unoptimised -O0)
compile(optimised -O2)
compile(nameless -O2 -DNAMELESS=1)

if(NOT with_list_list)
  message(FATAL_ERROR "a program with MALLARD_NAMES has no list")
endif()
foreach(program unoptimised optimised)
  if(${program}_list)
    message(FATAL_ERROR "${program}, without MALLARD_NAMES:\n${${program}_list}")
  endif()
endforeach()
if(NOT optimised_code OR NOT optimised_code STREQUAL nameless_code)
  message(FATAL_ERROR "other instructions than without names")
endif()
foreach(program with_list optimised)
  file(STRINGS "${WORK}/${program}.o" ${program}_texts REGEX "the name of")
endforeach()
if(NOT with_list_texts OR optimised_texts)
  message(FATAL_ERROR "the texts of names: with MALLARD_NAMES ${with_list_texts}, without ${optimised_texts}")
endif()
