# `cmake --install`: the headers, the archive, find_package(mallard) and pkg-config's file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

function(mallard_install)
  set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/mallard")

  install(TARGETS mallard EXPORT mallard_targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/mallard" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT library
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cppm")
  install(EXPORT mallard_targets NAMESPACE mallard:: DESTINATION "${package_dir}" FILE mallard-targets.cmake
          COMPONENT library)

  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/mallard-config.cmake.in"
                                "${PROJECT_BINARY_DIR}/mallard-config.cmake" INSTALL_DESTINATION "${package_dir}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/mallard-config-version.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/mallard-config.cmake" "${PROJECT_BINARY_DIR}/mallard-config-version.cmake"
          DESTINATION "${package_dir}" COMPONENT library)

  install(DIRECTORY "${PROJECT_SOURCE_DIR}/debug/" DESTINATION "${CMAKE_INSTALL_DATADIR}/mallard/debug" COMPONENT library
          FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/mallard_checked.cmake" DESTINATION "${package_dir}" COMPONENT library)

  # Debian has its own place for it, and its packages leave this component out.
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/mallard" COMPONENT licence)

  # Both directories may be given as absolute paths, which must not be prefixed again.
  cmake_path(APPEND libdir_for_pc "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
  cmake_path(APPEND includedir_for_pc "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
  # The file is below the library's directory, which has two names where it is that of an architecture.
  set(prefix_for_pc "../..")
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH prefix_for_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" prefix_for_pc "${prefix_for_pc}")
  endif()
  set(libs_for_pc -pthread)
  set(cflags_for_pc -pthread)
  if(MALLARD_PLATFORM_THREADS STREQUAL "none")
    set(libs_for_pc "")
    set(cflags_for_pc -DMALLARD_THREADS=0)
  endif()
  if(MALLARD_VALGRIND)
    string(APPEND cflags_for_pc " -DMALLARD_VALGRIND=1")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/mallard.pc.in" "${PROJECT_BINARY_DIR}/mallard.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/mallard.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT library)
endfunction()

# The recorder, if it is built: the library that is preloaded, and the one for static programs.
function(mallard_install_recorder)
  install(TARGETS mallard_record LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library)
  install(TARGETS mallard_recorder EXPORT mallard_targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library)
endfunction()

# The Python package's part of a build, below its folder: the advisor's programs and libraries, the sources from which
# `mallard bench` builds its runner on the user's machine, and the licences of what is linked into the programs. Those of
# libraries for another machine are in its system.
function(mallard_install_wheel)
  set(component COMPONENT wheel EXCLUDE_FROM_ALL)
  install(TARGETS mallard-record mallard-profile mallard-measure RUNTIME DESTINATION mallard/bin ${component})
  install(TARGETS mallard_record mallard_measured mallard_trial LIBRARY DESTINATION mallard/lib ${component})
  foreach(file CMakeLists.txt CMakePresets.json)
    install(FILES "${PROJECT_SOURCE_DIR}/${file}" DESTINATION mallard/source ${component})
  endforeach()
  foreach(folder cmake history include src bench/runner)
    get_filename_component(parent "mallard/source/${folder}" DIRECTORY)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${parent}" ${component})
  endforeach()
  # A wheel made on Debian is for others, and has all licences.
  set(optional "")
  if(NOT EXISTS /etc/debian_version)
    set(optional OPTIONAL)
  endif()
  foreach(licence GPL-2 GPL-3 LGPL-2.1 LGPL-3)
    install(FILES "/usr/share/common-licenses/${licence}" DESTINATION mallard/licences ${optional} ${component})
  endforeach()
  foreach(package libdw-dev libelf-dev libzstd-dev liblzma-dev libbz2-dev zlib1g-dev libgcc-s1)
    get_filename_component(copyright "${CMAKE_SYSROOT}/usr/share/doc/${package}/copyright" REALPATH)
    install(FILES "${copyright}" DESTINATION mallard/licences RENAME "${package}" ${optional} ${component})
  endforeach()
endfunction()
