# The libraries that the benchmark measures beside mallard. Each is built in if its Debian package is there, and the
# runner says which are missing and why (bench/runner/strategy/strategies.def). None is needed. A library brings the files in
# its folder of bench/runner/strategy/contender, and its tables of containers.
#
# MALLARD_CONTENDERS names those to look for. A build for another machine leaves out the ones that it lacks, and the
# survey's runner all but the standard library.
set(contender_names BOOST_POOL BOOST_CONTAINER BOOST_INTERPROCESS FOONATHAN LOKI MIMALLOC)
set(MALLARD_CONTENDERS ${contender_names} CACHE STRING "Libraries to measure beside mallard, where they are installed")

include(container_tables)
foreach(workload density programs)
  container_tables(tables_BOOST_POOL ${workload} contender_boost_pool process_wide<mechanism_kind::boost_fast_pool>)
  container_tables(
    tables_BOOST_CONTAINER ${workload} contender_boost_container process_wide<mechanism_kind::boost_adaptive_pool>
    process_wide<mechanism_kind::boost_node> process_wide<mechanism_kind::boost_allocator>)
  container_tables(tables_BOOST_CONTAINER ${workload} contender_boost_container_pmr boost_resource)
  container_tables(
    tables_FOONATHAN ${workload} contender_foonathan foonathan_collection_source foonathan_stack_source foonathan_temporary_source)
  container_tables(tables_LOKI ${workload} contender_loki loki_source)
  container_tables(tables_MIMALLOC ${workload} contender_mimalloc mimalloc_heap_source)
endforeach()

# Defines BENCH_HAS_<name> for `target`, and BENCH_WHY_<name>: the reason why there is none, or empty. Adds the files of
# an installed library to the target, and their headers to contender_headers.
macro(contender target name why)
  string(COMPARE EQUAL "${why}" "" has_${name})
  target_compile_definitions(${target} PUBLIC BENCH_HAS_${name}=${has_${name}} PRIVATE "BENCH_WHY_${name}=\"${why}\"")
  if(has_${name})
    string(TOLOWER "${name}" library)
    set(folder "${PROJECT_SOURCE_DIR}/bench/runner/strategy/contender/${library}")
    file(GLOB found CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/bench" "${folder}/*.hpp")
    list(APPEND contender_headers ${found})
    file(GLOB found CONFIGURE_DEPENDS "${folder}/*.cpp")
    target_sources(${target} PRIVATE ${found} ${tables_${name}})
  else()
    message(STATUS "Contender ${name} is missing: ${why}")
  endif()
endmacro()

# Sets why_<name> to the first of the files that is missing, or to nothing. The last may be the name of a library.
macro(look_for_contender name header library)
  set(why_${name} "")
  find_path(BENCH_${name}_INCLUDE "${header}" PATH_SUFFIXES foonathan_memory)
  mark_as_advanced(BENCH_${name}_INCLUDE)
  if(NOT "${library}" STREQUAL "")
    find_library(BENCH_${name}_LIBRARY "${library}")
    mark_as_advanced(BENCH_${name}_LIBRARY)
  endif()
  if(NOT ${name} IN_LIST MALLARD_CONTENDERS)
    set(why_${name} "MALLARD_CONTENDERS leaves it out")
  elseif(NOT BENCH_${name}_INCLUDE)
    set(why_${name} "${header} was not found")
  elseif(NOT "${library}" STREQUAL "" AND NOT BENCH_${name}_LIBRARY)
    set(why_${name} "the library ${library} was not found")
  endif()
endmacro()

# Adds the contenders that there are to `target`.
function(add_contenders target)
  look_for_contender(BOOST_POOL boost/pool/pool_alloc.hpp "")
  look_for_contender(BOOST_CONTAINER boost/container/adaptive_pool.hpp boost_container)
  look_for_contender(BOOST_INTERPROCESS boost/interprocess/managed_external_buffer.hpp "")
  look_for_contender(FOONATHAN foonathan/memory/memory_pool.hpp foonathan_memory)
  look_for_contender(LOKI loki/SmallObj.h loki)
  look_for_contender(MIMALLOC mimalloc.h mimalloc)
  if(CMAKE_CXX_FLAGS MATCHES "-stdlib=libc\\+\\+")
    foreach(name BOOST_CONTAINER FOONATHAN LOKI)
      if(NOT why_${name})
        set(why_${name} "it is compiled with libstdc++, and this program with libc++")
      endif()
    endforeach()
  endif()
  set(contender_headers)
  contender(${target} STANDARD "")
  foreach(name ${contender_names})
    contender(${target} ${name} "${why_${name}}")
  endforeach()
  set(generated "${PROJECT_BINARY_DIR}/generated/${target}")
  list(TRANSFORM contender_headers REPLACE "(.+)" "#include \"\\1\"")
  list(JOIN contender_headers "\n" includes)
  file(CONFIGURE OUTPUT "${generated}/runner/contenders.hpp" CONTENT "#pragma once\n\n@includes@\n" @ONLY)
  target_include_directories(${target} PUBLIC "${generated}")

  # Boost's own switch for pools without a lock: each belongs to one thread.
  target_compile_definitions(${target} PUBLIC BOOST_DISABLE_THREADS)
  if(has_BOOST_CONTAINER)
    target_link_libraries(${target} PUBLIC "${BENCH_BOOST_CONTAINER_LIBRARY}")
  endif()
  if(has_FOONATHAN)
    target_include_directories(${target} SYSTEM PUBLIC "${BENCH_FOONATHAN_INCLUDE}")
    target_link_libraries(${target} PUBLIC "${BENCH_FOONATHAN_LIBRARY}")
  endif()
  if(has_LOKI)
    target_link_libraries(${target} PUBLIC "${BENCH_LOKI_LIBRARY}")
  endif()
  if(has_MIMALLOC)
    # Opened, not linked: linked, it would be the malloc of every strategy.
    get_filename_component(library "${BENCH_MIMALLOC_LIBRARY}" REALPATH)
    set_property(
      SOURCE "${PROJECT_SOURCE_DIR}/bench/runner/strategy/contender/mimalloc/heap.cpp"
      APPEND PROPERTY COMPILE_DEFINITIONS "BENCH_MIMALLOC_LIBRARY=\"${library}\"")
    target_link_libraries(${target} PUBLIC ${CMAKE_DL_LIBS})
  endif()
endfunction()
