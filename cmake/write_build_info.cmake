# Writes build_info.cpp, and touches it only if something changed.
set(COMMIT "unknown")
find_program(GIT git)
# Without a repository of its own, a repository around the folder would answer.
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" describe --always --dirty=+dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(COMMIT "${described}")
  endif()
endif()
string(REPLACE "GNU" "g++" COMPILER "${COMPILER}")
string(REPLACE "Clang" "clang++" COMPILER "${COMPILER}")
set(text
    "#include \"runner/harness/build_info.hpp\"

namespace bench {

const build_info this_build{.version = \"${VERSION}\",
                            .commit = \"${COMMIT}\",
                            .compiler = \"${COMPILER}\",
                            .flags = \"${FLAGS}\",
                            .sanitizers = \"${SANITIZERS}\"};

} // namespace bench
")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
