# density_file(FILES NAME HANDLE...): writes a file with the tables of Benchmark I of these handles
# (bench/runner/workload/density/tables.hpp), and appends it to FILES. The names of contenders' files begin with contender_.
function(density_file files name)
  set(tables "")
  foreach(handle IN LISTS ARGN)
    string(APPEND tables "template const density_table<${handle}>& density_table_for();\n")
  endforeach()
  string(REGEX MATCH "^contender_" prefix "${name}")
  set(file "${PROJECT_BINARY_DIR}/generated/density/${name}.cpp")
  file(CONFIGURE OUTPUT "${file}" CONTENT
    "#include \"runner/workload/density/@prefix@tables.hpp\"\n\nnamespace bench {\n\n@tables@\n} // namespace bench\n" @ONLY)
  set(${files} ${${files}} "${file}" PARENT_SCOPE)
endfunction()
