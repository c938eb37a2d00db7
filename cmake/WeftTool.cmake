# weft_tool(<name> HOOKS <header> SOURCES ...): libweft_<name>.so, which defines every routine with the `around` of the
# header. It has no libweft.so among its own libraries, for whoever preloads it may preload it into a shell.
function(weft_tool name)
  cmake_parse_arguments(TOOL "" "HOOKS" "SOURCES" ${ARGN})
  add_library(weft_${name} SHARED ${WEFT_WRAPPERS} ${TOOL_SOURCES} $<TARGET_OBJECTS:weft_interpose>
              $<TARGET_OBJECTS:weft_base>)
  weft_library_code(weft_${name})
  target_compile_definitions(weft_${name} PRIVATE "WEFT_TOOL_HOOKS=\"${TOOL_HOOKS}\"")
  target_link_options(weft_${name} PRIVATE -Wl,--version-script=${WEFT_TOOL_SYMBOL_MAP} -Wl,-z,lazy -Wl,--as-needed)
  if(NOT WEFT_SANITIZE)
    target_link_options(weft_${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  set_target_properties(weft_${name} PROPERTIES LINK_DEPENDS ${WEFT_TOOL_SYMBOL_MAP})
endfunction()
