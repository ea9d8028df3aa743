# The target property MALLARD_CHECKED: ON if a program's allocators are checked, in every configuration. Targets take it from
# the variable of the same name. If neither is set, the configuration Debug is checked and no other.
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.23)
  define_property(
    TARGET
    PROPERTY MALLARD_CHECKED
    BRIEF_DOCS "Whether mallard's allocators are checked for misuse"
    FULL_DOCS "Whether mallard's allocators are checked for misuse; not set: in the configuration Debug only"
    INITIALIZE_FROM_VARIABLE MALLARD_CHECKED)
endif()
