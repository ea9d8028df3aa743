# GoogleTest: the system's, if it fits these tests, and else compiled from its sources with their options, because another
# standard library, or a build without exceptions, needs one of its own. Sanitizers need not see it, but ThreadSanitizer has
# to see its locks.
set(MALLARD_GOOGLETEST "/usr/src/googletest" CACHE PATH "Directory of GoogleTest's sources")

if(MALLARD_EXCEPTIONS AND NOT "thread" IN_LIST MALLARD_SANITIZE AND NOT CMAKE_CXX_FLAGS MATCHES "libc\\+\\+")
  find_package(GTest QUIET)
endif()
if(GTest_FOUND)
  add_library(mallard_googletest INTERFACE)
  target_link_libraries(mallard_googletest INTERFACE mallard_options GTest::gtest_main Threads::Threads)
elseif(EXISTS "${MALLARD_GOOGLETEST}/googletest/src/gtest-all.cc")
  set(sources "${MALLARD_GOOGLETEST}/googletest")
  add_library(mallard_googletest STATIC "${sources}/src/gtest-all.cc" "${sources}/src/gtest_main.cc")
  target_include_directories(mallard_googletest SYSTEM PUBLIC "${sources}/include" PRIVATE "${sources}")
  # Neither its warnings nor its speed matter here.
  target_compile_options(mallard_googletest PRIVATE -w -O0 -g0)
  if("undefined" IN_LIST MALLARD_SANITIZE)
    target_compile_options(mallard_googletest PRIVATE -fno-sanitize=undefined)
  endif()
  target_link_libraries(mallard_googletest PRIVATE mallard_options PUBLIC Threads::Threads)
else()
  message(FATAL_ERROR "GoogleTest's sources are not in ${MALLARD_GOOGLETEST}. Install the package libgtest-dev "
                      "(Debian, Ubuntu), or set MALLARD_GOOGLETEST to a directory that holds googletest/src.")
endif()
