# Modules: libraries that libweft.so loads by their path when a job needs them, so that nobody else pays for what they need.

# weft_look_for(<prefix> <what pkg-config is asked for> <what is left out without it>): sets <prefix>_FOUND, and then the
# target PkgConfig::<prefix>.
macro(weft_look_for prefix wanted left_out)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${wanted})
  endif()
  if(NOT ${prefix}_FOUND)
    message(STATUS "no ${wanted}: ${left_out}")
  endif()
endmacro()

# weft_module(<name> ROOM <room> [LIBRARY <target>]): libweft_<name>.so, of the room and what that needs. Its functions are
# its own whatever the program has loaded: only weft_... is to be seen of it.
file(WRITE ${PROJECT_BINARY_DIR}/generated/module.map "{ global: weft_*; local: *; };\n")
function(weft_module name)
  cmake_parse_arguments(MODULE "" "ROOM;LIBRARY" "" ${ARGN})
  set(module weft_${name}_module)
  target_link_libraries(weft_${MODULE_ROOM} PUBLIC ${MODULE_LIBRARY})
  add_library(${module} MODULE ${PROJECT_SOURCE_DIR}/src/module/inside.cpp $<TARGET_OBJECTS:weft_${MODULE_ROOM}>
              $<TARGET_OBJECTS:weft_base>)
  weft_library_code(${module})
  target_link_libraries(${module} PRIVATE ${MODULE_LIBRARY})
  # A library that the linker would not find by itself is kept by its path, which is not ours.
  set_target_properties(${module} PROPERTIES OUTPUT_NAME weft_${name} LINKER_LANGUAGE CXX INSTALL_RPATH_USE_LINK_PATH ON)
  target_link_options(${module} PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/generated/module.map)
  if(NOT WEFT_SANITIZE)
    target_link_options(${module} PRIVATE -Wl,--no-undefined -static-libstdc++ -static-libgcc)
  endif()
  set_property(GLOBAL APPEND PROPERTY WEFT_MODULES ${module})
endfunction()
