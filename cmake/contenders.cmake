# The libraries that the benchmark measures with mallard. Each is built in if its Debian package is there, and the
# runner says which are missing and why (bench/runner/strategy/strategies.def). None is needed. A library brings the files in
# its folder of bench/runner/strategy/contender, and its tables of containers.
#
# MALLARD_CONTENDERS names those to look for. A build for another machine leaves out the ones that it lacks, and the
# survey's runner all but the standard library.
set(contender_names BOOST_POOL BOOST_CONTAINER BOOST_INTERPROCESS FOONATHAN LOKI MIMALLOC)
set(MALLARD_CONTENDERS ${contender_names} CACHE STRING "Libraries to measure with mallard, where they are installed")

# Libraries that Debian does not have. MALLARD_WITH names the prefix that each was installed to, with folders include and
# lib: bde=/opt/bde. One that is named has to be there. `./mallard bench --with` sets it.
set(MALLARD_WITH "" CACHE STRING "Libraries to measure with mallard, by prefix: bde=PREFIX")

include(CheckCXXSourceCompiles)
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
  container_tables(
    tables_BDE ${workload} contender_bde bde_monotonic_source<bdlma::SequentialPool>
    bde_monotonic_source<bdlma::BufferedSequentialPool> bde_multipool bde_base)
endforeach()

# Defines BENCH_HAS_<name> for `target`, and BENCH_WHY_<name>: the reason why there is none, or empty. Adds the files of
# an installed library to the target, and their headers to contender_headers.
macro(contender target name why)
  string(COMPARE EQUAL "${why}" "" has_${name})
  target_compile_definitions(
    ${target} PUBLIC BENCH_HAS_${name}=${has_${name}} PRIVATE "BENCH_WHY_${name}=\"${why}\""
                                                              "BENCH_VERSION_${name}=\"${version_${name}}\"")
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

# Adds a library that MALLARD_WITH names to the target, with its contenders.
#
#   HEADER, LIBRARIES   in the folders include and lib of the prefix; in the order of linking
#   DEFINITIONS         the library's own
#   VERSION             a header and the macros in it that are the version's numbers
#   PROBE               an expression that needs HEADER and LIBRARIES, for a program that is compiled and linked with them
macro(prefixed_contender target name)
  cmake_parse_arguments(row "" "HEADER;PROBE" "LIBRARIES;DEFINITIONS;VERSION" ${ARGN})
  string(TOLOWER "${name}" word)
  set(entry "${MALLARD_WITH}")
  list(FILTER entry INCLUDE REGEX "^${word}=")
  list(REMOVE_ITEM unknown_prefixes "" ${entry})
  set(version_${name})
  if(NOT entry)
    contender(${target} ${name} "MALLARD_WITH does not name it")
  else()
    string(REGEX REPLACE "^${word}=" "" prefix "${entry}")
    set(remedy "name the prefix that it was installed to, as in -DMALLARD_WITH=${word}=/opt/${word}")
    if(NOT EXISTS "${prefix}/include/${row_HEADER}")
      message(FATAL_ERROR "MALLARD_WITH: ${entry}: there is no ${prefix}/include/${row_HEADER}; ${remedy}")
    endif()
    set(CMAKE_REQUIRED_LIBRARIES)
    foreach(library IN LISTS row_LIBRARIES)
      unset(found_library CACHE)
      find_library(found_library "${library}" PATHS "${prefix}" PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}"
                   NO_DEFAULT_PATH)
      if(NOT found_library)
        message(FATAL_ERROR "MALLARD_WITH: ${entry}: ${prefix}/lib has no library ${library}; ${remedy}")
      endif()
      list(APPEND CMAKE_REQUIRED_LIBRARIES "${found_library}")
    endforeach()
    unset(found_library CACHE)
    target_include_directories(${target} SYSTEM PUBLIC "${prefix}/include")
    target_compile_definitions(${target} PUBLIC ${row_DEFINITIONS})
    target_link_libraries(${target} PUBLIC ${CMAKE_REQUIRED_LIBRARIES})

    # A library of another compiler or standard is found here, and not after minutes of compiling.
    set(CMAKE_CXX_STANDARD 20)
    set(CMAKE_REQUIRED_INCLUDES "${prefix}/include")
    list(TRANSFORM row_DEFINITIONS PREPEND -D OUTPUT_VARIABLE CMAKE_REQUIRED_DEFINITIONS)
    list(APPEND CMAKE_REQUIRED_LIBRARIES Threads::Threads)
    unset(BENCH_${name}_LINKS CACHE)
    check_cxx_source_compiles("#include <${row_HEADER}>\nint main() { static_cast<void>(${row_PROBE}); }" BENCH_${name}_LINKS)
    if(NOT BENCH_${name}_LINKS)
      message(FATAL_ERROR "MALLARD_WITH: ${entry}: no program of C++20 compiles and links with it; build the library as C++17 or \
later with ${CMAKE_CXX_COMPILER}; ${CMAKE_BINARY_DIR}/CMakeFiles has the compiler's message")
    endif()

    list(POP_FRONT row_VERSION header)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${prefix}/include/${header}")
    foreach(macro IN LISTS row_VERSION)
      file(STRINGS "${prefix}/include/${header}" line REGEX "define +${macro} ")
      string(REGEX MATCH "[0-9]+ *$" number "${line}")
      list(APPEND version_${name} ${number})
    endforeach()
    list(JOIN version_${name} "." version_${name})
    contender(${target} ${name} "")
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
  set(unknown_prefixes "${MALLARD_WITH}")
  prefixed_contender(
    ${target} BDE
    HEADER bdlma_multipoolallocator.h
    LIBRARIES bdl bsl
    DEFINITIONS BDE_BUILD_TARGET_OPT # without BDE's assertions in headers
    VERSION bdlscm_versiontag.h BDL_VERSION_MAJOR BDL_VERSION_MINOR
    PROBE "BloombergLP::bdlma::MultipoolAllocator().std::pmr::memory_resource::allocate(8)")
  if(unknown_prefixes)
    message(FATAL_ERROR "MALLARD_WITH: ${unknown_prefixes} names no library; allowed are bde=PREFIX")
  endif()
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
