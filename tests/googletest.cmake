# GoogleTest, compiled from its sources with the options of the tests: a prebuilt one would bring another standard
# library or no sanitizer.
set(MALLARD_GOOGLETEST "/usr/src/googletest" CACHE PATH "Directory of GoogleTest's sources")

if(EXISTS "${MALLARD_GOOGLETEST}/googletest/src/gtest-all.cc")
  set(sources "${MALLARD_GOOGLETEST}/googletest")
  add_library(mallard_googletest STATIC "${sources}/src/gtest-all.cc" "${sources}/src/gtest_main.cc")
  target_include_directories(mallard_googletest SYSTEM PUBLIC "${sources}/include" PRIVATE "${sources}")
  # Its warnings are not ours to mend, nor is its speed our concern; undefined behaviour is looked for elsewhere.
  target_compile_options(mallard_googletest PRIVATE -w -O0 -g0)
  if("undefined" IN_LIST MALLARD_SANITIZE)
    target_compile_options(mallard_googletest PRIVATE -fno-sanitize=undefined)
  endif()
  target_link_libraries(mallard_googletest PRIVATE mallard_options PUBLIC Threads::Threads)
elseif(MALLARD_EXCEPTIONS AND NOT MALLARD_SANITIZE AND NOT CMAKE_CXX_FLAGS MATCHES "libc\\+\\+")
  find_package(GTest)
  if(GTest_FOUND)
    add_library(mallard_googletest INTERFACE)
    target_link_libraries(mallard_googletest INTERFACE GTest::gtest_main)
  endif()
endif()

if(NOT TARGET mallard_googletest)
  message(FATAL_ERROR "GoogleTest's sources are not in ${MALLARD_GOOGLETEST}. Install the package googletest "
                      "(Debian, Ubuntu), or set MALLARD_GOOGLETEST to a directory that holds googletest/src.")
endif()
