# cmake -DROOT=DIRECTORY -DLIBRARY=FILE -DWORK=DIRECTORY -P expect_refusal.cmake -- COMPILER FLAG ...
#
# Files with a named allocator link if all are compiled with MALLARD_NAMES=1, or none. GNU ld and gold refuse others, unless
# MALLARD_ALLOW_MISMATCH permits them. Files without a named allocator may differ.
cmake_minimum_required(VERSION 3.20)
include("${CMAKE_CURRENT_LIST_DIR}/../script.cmake")
list(APPEND compiler -std=c++20 -DMALLARD_CHECKED=0 "-I${ROOT}/include")
set(here "${CMAKE_CURRENT_LIST_DIR}")
set(mark mallard_parts_differ_in_MALLARD_NAMES)
file(MAKE_DIRECTORY "${WORK}")

function(compile name source)
  must_succeed(${compiler} ${ARGN} -c "${here}/${source}.cpp" -o "${WORK}/${name}.o")
endfunction()

function(must_link)
  must_succeed(${compiler} ${ARGN} "${LIBRARY}" -o "${WORK}/program")
  must_succeed("${WORK}/program")
endfunction()

foreach(optimisation -O0 -O2)
  foreach(source desk visitor)
    compile(${source} ${source} ${optimisation})
    compile(${source}_with_names ${source} ${optimisation} -DMALLARD_NAMES=1)
  endforeach()
  compile(passer_by passer_by ${optimisation})
  set(desk "${WORK}/desk.o")
  set(visitor "${WORK}/visitor.o")
  set(desk_with_names "${WORK}/desk_with_names.o")
  set(visitor_with_names "${WORK}/visitor_with_names.o")
  must_link("${desk}" "${visitor}" "${WORK}/passer_by.o")
  must_link("${desk_with_names}" "${visitor_with_names}" "${WORK}/passer_by.o")
  foreach(linker bfd gold)
    must_not_link(${linker} ${mark} "${desk}" "${visitor_with_names}" "${LIBRARY}" -o "${WORK}/program")
    must_not_link(${linker} ${mark} "${visitor}" "${desk_with_names}" "${LIBRARY}" -o "${WORK}/program")
  endforeach()
endforeach()
compile(apart visitor -O2 -DMALLARD_NAMES=1 -DMALLARD_ALLOW_MISMATCH=1)
must_succeed(${compiler} "${desk}" "${WORK}/apart.o" "${LIBRARY}" -o "${WORK}/program")
