# The options of every target of this build: warnings, sanitizers, exceptions. A user of the installed library inherits none of it.
add_library(mallard_options INTERFACE)
target_compile_features(mallard_options INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)

if(MSVC)
  # C5030: attributes of g++ and clang++ in brackets, which MSVC ignores.
  target_compile_options(mallard_options INTERFACE /W4 /permissive- /Zc:__cplusplus /wd5030)
else()
  target_compile_options(
    mallard_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
                              -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wnull-dereference)
endif()
if(MALLARD_WERROR)
  target_compile_options(mallard_options INTERFACE $<IF:$<CXX_COMPILER_ID:MSVC>,/WX,-Werror>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false null dereferences and array bounds in its own library's headers once they are inlined.
  target_compile_options(mallard_options INTERFACE -Wno-null-dereference -Wno-array-bounds -Wno-stringop-overflow
                                                   -Wno-restrict)
endif()

if(NOT MALLARD_EXCEPTIONS)
  target_compile_options(mallard_options INTERFACE -fno-exceptions)
endif()

if(MALLARD_SANITIZE)
  list(JOIN MALLARD_SANITIZE "," mallard_sanitizers)
  target_compile_options(mallard_options INTERFACE "-fsanitize=${mallard_sanitizers}" -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(mallard_options INTERFACE "-fsanitize=${mallard_sanitizers}")
  if("address" IN_LIST MALLARD_SANITIZE AND "undefined" IN_LIST MALLARD_SANITIZE)
    # AddressSanitizer finds the first and the last too, and a tenth of the time to compile goes into the three.
    target_compile_options(mallard_options INTERFACE -fno-sanitize=null,vptr,object-size)
  endif()
endif()
