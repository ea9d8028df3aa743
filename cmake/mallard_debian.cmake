# `cpack -G DEB`: the packages libmallard-dev and, if the advisor is built, mallard. Their files for Debian's own folders are
# components that `cmake --install` leaves out.
find_program(MALLARD_DPKG_DEB dpkg-deb)
mark_as_advanced(MALLARD_DPKG_DEB)
set(debian "${PROJECT_SOURCE_DIR}/packaging/debian")
if(NOT MALLARD_DPKG_DEB OR NOT EXISTS "${debian}") # the sources in a package have no packaging/
  return()
endif()

set(debian_build "${PROJECT_BINARY_DIR}/debian")
string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of $SOURCE_DATE_EPOCH, if set
set(debian_maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if("$ENV{DEBFULLNAME}" STREQUAL "" OR "$ENV{DEBEMAIL}" STREQUAL "")
  set(debian_maintainer "mallard's maintainers <maintainers@mallard.invalid>")
endif()

# Compresses a text below packaging/debian as Debian requires.
function(mallard_compress source name)
  configure_file("${source}" "${debian_build}/${name}" @ONLY)
  execute_process(COMMAND gzip --best --no-name --keep --force "${debian_build}/${name}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The documents without which a package is not complete.
function(mallard_debian_documents package component)
  set(debian_package "${package}")
  mallard_compress("${debian}/changelog.in" "${package}/changelog")
  install(FILES "${debian}/copyright" DESTINATION "share/doc/${package}" COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES "${debian_build}/${package}/changelog.gz" DESTINATION "share/doc/${package}" COMPONENT ${component}
          EXCLUDE_FROM_ALL)
endfunction()

# The Python package with its native programs and the sources of the benchmark's runner, which it looks for below itself; a
# command and its manual page.
function(mallard_debian_tools)
  mallard_debian_documents(mallard tools)
  set(package lib/mallard) # not ${CMAKE_INSTALL_LIBDIR}: the command names it
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/mallard" DESTINATION ${package} COMPONENT tools EXCLUDE_FROM_ALL
          PATTERN "__pycache__" EXCLUDE)
  install(FILES "${PROJECT_SOURCE_DIR}/CMakeLists.txt" "${PROJECT_SOURCE_DIR}/CMakePresets.json"
          DESTINATION "${package}/mallard/source" COMPONENT tools EXCLUDE_FROM_ALL)
  foreach(folder cmake history include src bench/runner)
    get_filename_component(parent "${package}/mallard/source/${folder}" DIRECTORY)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${parent}" COMPONENT tools EXCLUDE_FROM_ALL
            PATTERN "*.md" EXCLUDE)
  endforeach()
  configure_file("${debian}/METADATA.in" "${debian_build}/METADATA" @ONLY)
  install(FILES "${debian_build}/METADATA" DESTINATION "${package}/mallard-${PROJECT_VERSION}.dist-info" COMPONENT tools
          EXCLUDE_FROM_ALL)
  install(TARGETS mallard-record mallard-profile mallard-measure RUNTIME DESTINATION "${package}/mallard/bin"
          COMPONENT tools EXCLUDE_FROM_ALL)
  install(TARGETS mallard_record mallard_measured mallard_trial LIBRARY DESTINATION "${package}/mallard/lib" COMPONENT tools
          EXCLUDE_FROM_ALL)
  install(PROGRAMS "${debian}/mallard" DESTINATION bin COMPONENT tools EXCLUDE_FROM_ALL)
  mallard_compress("${debian}/mallard.1" mallard.1)
  install(FILES "${debian_build}/mallard.1.gz" DESTINATION share/man/man1 COMPONENT tools EXCLUDE_FROM_ALL)
endfunction()

mallard_debian_documents(libmallard-dev debian_library)
set(CPACK_COMPONENTS_ALL library debian_library)
if(TARGET mallard-profile)
  mallard_debian_tools()
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_VENDOR "mallard's maintainers")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${debian_maintainer}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)

set(CPACK_COMPONENT_LIBRARY_GROUP library)
set(CPACK_COMPONENT_DEBIAN_LIBRARY_GROUP library)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libmallard-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "pkg-config | cmake")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "local memory allocators for C++20
Monotonic allocators, pools and heaps for the objects of one data structure,
phase or request, as allocators of standard containers, as std::pmr resources
and for single objects. A debug build of a program reports misuse.")

set(CPACK_COMPONENT_TOOLS_GROUP tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME mallard)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "python3:any (>= 3.10), python3-rich (>= 13)")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS libmallard-dev)
set(CPACK_DEBIAN_TOOLS_PACKAGE_CONTROL_EXTRA "${debian}/postinst;${debian}/prerm")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
    "find out which local allocator makes a C++ program faster
Records a program's allocations without rebuilding it, shows the lifetimes of
its memory by scope, and measures the unchanged program with one scope served
by a local allocator.")
include(CPack)
