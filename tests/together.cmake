# Files of tests that are compiled together. Their common templates of the standard library and of each other's headers are
# then compiled once, which halves the time of all.
#
#     together/unit_3.cpp:   the #includes of all files
#                            namespace together_..._reuse_test { #include ".../reuse_test.cpp" }
#                            namespace together_..._rooms_test { #include ".../rooms_test.cpp" }
#
# Each file keeps its meaning: its own #includes find everything included already, and its anonymous namespace stands in a
# namespace of its own.
set(MALLARD_TESTS_TOGETHER 1 CACHE STRING "So many files of tests are compiled together")

# Only the contents of anonymous namespaces can be moved into another one, and the #includes must not depend on a condition.
# A using-directive would also see names of headers that the file does not include.
function(mallard_can_be_together path result)
  set(${result} NO PARENT_SCOPE)
  file(STRINGS "${path}" anonymous REGEX "^namespace {$" LIMIT_COUNT 1)
  file(STRINGS "${path}" bound REGEX "^(namespace [^={]+{|using namespace|template <>|extern|int main|void\\*? operator|#define)" LIMIT_COUNT 1)
  file(STRINGS "${path}" directives REGEX "^#(include|if)")
  get_source_file_property(options "${path}" COMPILE_OPTIONS)
  if(anonymous AND NOT bound AND NOT options AND NOT "${directives}" MATCHES "#if.*#include")
    set(${result} YES PARENT_SCOPE)
  endif()
endfunction()

function(mallard_write_together output)
  set(includes "")
  set(bodies "")
  foreach(path IN LISTS ARGN)
    cmake_path(GET path PARENT_PATH folder)
    file(STRINGS "${path}" lines REGEX "^#include ")
    foreach(line IN LISTS lines)
      if(line MATCHES "\"(.+)\"")
        cmake_path(SET sibling "${folder}/${CMAKE_MATCH_1}")
        if(EXISTS "${sibling}")
          set(line "#include \"${sibling}\"")
        endif()
      endif()
      list(APPEND includes "${line}")
    endforeach()
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE name)
    string(MAKE_C_IDENTIFIER "together_${name}" name)
    string(APPEND bodies "namespace ${name} {\n#include \"${path}\"\n}\n")
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  file(CONFIGURE OUTPUT "${output}" CONTENT "${includes}\n\n${bodies}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
endfunction()

# Effects: replaces the files of a list that can be compiled together by files that include them.
function(mallard_put_together name list_name)
  set(kept "")
  set(batch "")
  set(number 0)
  foreach(source IN LISTS ${list_name} ITEMS end)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE path)
    if(source STREQUAL "end")
      set(together NO)
    else()
      mallard_can_be_together("${path}" together)
    endif()
    if(together)
      list(APPEND batch "${path}")
    elseif(NOT source STREQUAL "end")
      list(APPEND kept "${source}")
    endif()
    list(LENGTH batch length)
    if(length GREATER_EQUAL MALLARD_TESTS_TOGETHER OR (length GREATER 0 AND source STREQUAL "end"))
      math(EXPR number "${number} + 1")
      set(output "${CMAKE_CURRENT_BINARY_DIR}/together/${name}_${number}.cpp")
      mallard_write_together("${output}" ${batch})
      list(APPEND kept "${output}")
      set(batch "")
    endif()
  endforeach()
  set(${list_name} "${kept}" PARENT_SCOPE)
endfunction()
