# Runs a portfile with functions that take the arguments of vcpkg's own, refuse others, and build with the machine's CMake.
set(configurations rel dbg)
set(rel_type Release)
set(dbg_type Debug)
set(rel_prefix "${CURRENT_PACKAGES_DIR}")
set(dbg_prefix "${CURRENT_PACKAGES_DIR}/debug")

function(must condition_text)
  if(NOT ${ARGN})
    message(FATAL_ERROR "${condition_text}")
  endif()
endfunction()

macro(parse options values lists)
  cmake_parse_arguments(PARSE_ARGV ${positional} arg "${options}" "${values}" "${lists}")
  if(DEFINED arg_UNPARSED_ARGUMENTS OR DEFINED arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "wrong arguments: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
endmacro()

function(vcpkg_check_linkage)
  set(positional 0)
  parse("ONLY_STATIC_LIBRARY;ONLY_DYNAMIC_LIBRARY;ONLY_DYNAMIC_CRT;ONLY_STATIC_CRT" "" "")
endfunction()

function(vcpkg_download_distfile out_var)
  set(positional 1)
  parse("SKIP_SHA512;ALWAYS_REDOWNLOAD" "FILENAME;SHA512" "URLS;HEADERS")
  set(file "${CURRENT_BUILDTREES_DIR}/${arg_FILENAME}")
  file(DOWNLOAD "${arg_URLS}" "${file}" EXPECTED_HASH "SHA512=${arg_SHA512}")
  set(${out_var} "${file}" PARENT_SCOPE)
endfunction()

function(vcpkg_extract_source_archive out_var)
  set(positional 1)
  parse("NO_REMOVE_ONE_LEVEL;SKIP_PATCH_CHECK" "ARCHIVE;SOURCE_BASE;BASE_DIRECTORY;WORKING_DIRECTORY" "PATCHES")
  file(ARCHIVE_EXTRACT INPUT "${arg_ARCHIVE}" DESTINATION "${CURRENT_BUILDTREES_DIR}/src")
  file(GLOB folder "${CURRENT_BUILDTREES_DIR}/src/*")
  set(${out_var} "${folder}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  set(positional 0)
  parse("DISABLE_PARALLEL_CONFIGURE" "SOURCE_PATH;GENERATOR" "OPTIONS;OPTIONS_DEBUG;OPTIONS_RELEASE")
  foreach(configuration IN LISTS configurations)
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${CURRENT_BUILDTREES_DIR}/${configuration}"
              "-DCMAKE_BUILD_TYPE=${${configuration}_type}" "-DCMAKE_INSTALL_PREFIX=${${configuration}_prefix}"
              "-DCMAKE_INSTALL_LIBDIR=lib" -DCMAKE_UNITY_BUILD=ON "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" ${arg_OPTIONS}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

function(vcpkg_cmake_install)
  set(positional 0)
  parse("DISABLE_PARALLEL;ADD_BIN_TO_PATH" "" "")
  foreach(configuration IN LISTS configurations)
    execute_process(COMMAND "${CMAKE_COMMAND}" --build "${CURRENT_BUILDTREES_DIR}/${configuration}" --target install
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

# vcpkg moves the files and corrects their paths.
function(vcpkg_cmake_config_fixup)
  set(positional 0)
  parse("DO_NOT_DELETE_PARENT_CONFIG_PATH;NO_PREFIX_CORRECTION" "PACKAGE_NAME;CONFIG_PATH;TOOLS_PATH" "")
  foreach(configuration IN LISTS configurations)
    must("no CMake files in ${arg_CONFIG_PATH}" EXISTS
         "${${configuration}_prefix}/${arg_CONFIG_PATH}/${PORT}-config.cmake")
  endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
  set(positional 0)
  parse("SKIP_CHECK" "" "")
  foreach(configuration IN LISTS configurations)
    must("no file for pkg-config" EXISTS "${${configuration}_prefix}/lib/pkgconfig/${PORT}.pc")
  endforeach()
endfunction()

function(vcpkg_install_copyright)
  set(positional 0)
  parse("" "COMMENT" "FILE_LIST")
  file(INSTALL "${arg_FILE_LIST}" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}" RENAME copyright)
endfunction()

include("${CURRENT_PORT_DIR}/portfile.cmake")
