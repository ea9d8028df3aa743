# The target property MALLARD_CHECKED: ON if a program's allocators are checked, in every configuration. Targets take it from
# the variable of the same name. If neither is set, the configuration Debug is checked and no other.
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.23)
  set(mallard_checked_source INITIALIZE_FROM_VARIABLE MALLARD_CHECKED)
else()
  # Older versions cannot initialise a property. A target inherits it from its directory, whose property is the variable at
  # the directory's end.
  set(mallard_checked_source)
  set(mallard_directory "${CMAKE_CURRENT_SOURCE_DIR}")
  while(mallard_directory)
    cmake_language(DEFER DIRECTORY "${mallard_directory}" CALL
                   set_property DIRECTORY PROPERTY MALLARD_CHECKED "${MALLARD_CHECKED}")
    get_property(mallard_directory DIRECTORY "${mallard_directory}" PROPERTY PARENT_DIRECTORY)
  endwhile()
endif()
define_property(
  TARGET
  PROPERTY MALLARD_CHECKED INHERITED
  BRIEF_DOCS "Whether mallard's allocators are checked for misuse"
  FULL_DOCS "Whether mallard's allocators are checked for misuse; not set: in the configuration Debug only"
            ${mallard_checked_source})
