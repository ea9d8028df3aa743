# The runner's account of its own build. The commit is read at each build, so that it is never older than the program.
set(build_info_source "${PROJECT_BINARY_DIR}/build_info.cpp")
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" build_flags)
if(MALLARD_NATIVE)
  string(APPEND build_flags " -march=native")
endif()

add_custom_target(
  write_build_info
  COMMAND
    "${CMAKE_COMMAND}" -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}" -D "OUTPUT=${build_info_source}" -D "VERSION=${PROJECT_VERSION}"
    -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -D "FLAGS=${build_flags}"
    -D "SANITIZERS=${MALLARD_SANITIZE}" -P "${PROJECT_SOURCE_DIR}/cmake/write_build_info.cmake"
  BYPRODUCTS "${build_info_source}"
  VERBATIM)
add_library(mallard_build_info OBJECT "${build_info_source}")
add_dependencies(mallard_build_info write_build_info)
target_include_directories(mallard_build_info PRIVATE "${PROJECT_SOURCE_DIR}/bench")
target_compile_features(mallard_build_info PRIVATE cxx_std_20)
