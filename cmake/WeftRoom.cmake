# Rooms: the folders of src/. Each is an OBJECT library weft_<room>; the libraries and the unit tests are made of them.
# Which room may use which is written once, in tools/layers.txt; here it says what a unit test of a room links, and what
# is in libweft_core.so.

add_library(weft_flags INTERFACE)      # how everything of ours is compiled
add_library(weft_warnings INTERFACE)

# To gcc -Wconversion of C++ is not about signs.
target_compile_options(weft_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion> $<$<BOOL:${WEFT_WERROR}>:-Werror>)

set(weft_sanitizers "")
if(WEFT_SANITIZE)
  set(weft_sanitizers -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(WEFT_SANITIZE MATCHES undefined)
    list(APPEND weft_sanitizers -fno-sanitize=vptr)  # needs RTTI, which the library is built without
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND weft_sanitizers -Wno-maybe-uninitialized)  # gcc 12 sees ghosts in instrumented code
    if(WEFT_SANITIZE MATCHES thread)
      # TSan does not follow fences. Ours only make sure that sleepers are woken; data is ordered by acquire and release
      # on the words themselves, which it does follow.
      list(APPEND weft_sanitizers -Wno-tsan)
    endif()
  endif()
  # Everything: libweft.so, programs and tests need the same run-time.
  add_compile_options(${weft_sanitizers})
  add_link_options(${weft_sanitizers})
endif()

# api/options.def is included as "api/options.def", from the top.
target_include_directories(weft_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
target_link_libraries(weft_flags INTERFACE weft_api Threads::Threads)
target_compile_definitions(weft_flags INTERFACE $<$<BOOL:${WEFT_SAFE}>:WEFT_SAFE=1>)

# weft_room(<name> SOURCES a.cpp b.cpp ...)
function(weft_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES" ${ARGN})
  add_library(weft_${name} OBJECT ${ROOM_SOURCES})
  weft_library_code(weft_${name})
  if(name IN_LIST weft_core_rooms)  # front ends' libraries call it, as the core's version script has it
    set_target_properties(weft_${name} PROPERTIES CXX_VISIBILITY_PRESET default)
  endif()
  set_property(GLOBAL APPEND PROPERTY WEFT_ROOMS ${name})
endfunction()

# How code that ends in a library is compiled. No exceptions and no RTTI: see docs/adr.
function(weft_library_code target)
  target_link_libraries(${target} PRIVATE weft_flags weft_warnings)
  target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti -fno-semantic-interposition)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# The rooms that code of `room` may reach, itself included, by tools/layers.txt: what a test of it must link.
function(weft_rooms_below room out)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${PROJECT_SOURCE_DIR}/tools/layers.txt)
  file(STRINGS ${PROJECT_SOURCE_DIR}/tools/layers.txt lines REGEX "^[a-z]")
  set(found ${room})
  set(todo ${room})
  while(todo)
    list(POP_FRONT todo next)
    foreach(line IN LISTS lines)
      if(line MATCHES "^${next}:(.*)$")
        string(REGEX REPLACE "<[^>]*>|[^ ]+\\.[^ ]+" "" below "${CMAKE_MATCH_1}")  # no room: headers
        string(REGEX MATCHALL "[a-z/-]+" below "${below}")
        foreach(room IN LISTS below)
          if(NOT room IN_LIST found)
            list(APPEND found ${room})
            list(APPEND todo ${room})
          endif()
        endforeach()
      endif()
    endforeach()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# weft_link_rooms(<target> <room>...): with these rooms and all below them.
function(weft_link_rooms target)
  set(linked "")
  foreach(room IN LISTS ARGN)
    weft_rooms_below(${room} rooms)
    list(APPEND linked ${rooms})
  endforeach()
  list(REMOVE_DUPLICATES linked)
  list(TRANSFORM linked REPLACE "/" "_")
  list(TRANSFORM linked PREPEND weft_)
  target_link_libraries(${target} PRIVATE ${linked})
endfunction()

# What front ends stand on: all below OpenSHMEM, and what only others will use.
weft_rooms_below(shmem weft_core_rooms)
list(REMOVE_ITEM weft_core_rooms shmem)
list(APPEND weft_core_rooms reach msg)
list(REMOVE_DUPLICATES weft_core_rooms)

# How a library of rooms is linked, with the names of its map and no others to be seen.
function(weft_link_library target map)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
  # Lazy binding, also where the distribution's default is not: a PE should not pay at its start for what it never calls.
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,-z,lazy -Wl,-O1 -Wl,--as-needed)
  if(NOT WEFT_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# What a library does that each PE loads to be loaded fast (record 0075).
function(weft_load_fast target)
  if(NOT WEFT_SANITIZE)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/base/throws.cpp)
    # Two mappings instead of four.
    target_link_options(${target} PRIVATE -Wl,-z,noseparate-code)
  endif()
endfunction()

# libweft_core.so, of all rooms below the front ends (record 0033). Its names are for Weft's own libraries of the same build,
# so its soname has the whole version.
function(weft_core_library)
  list(TRANSFORM weft_core_rooms REPLACE "(.+)" "$<TARGET_OBJECTS:weft_\\1>" OUTPUT_VARIABLE objects)
  add_library(weft_core SHARED ${objects})
  add_library(Weft::weft_core ALIAS weft_core)
  weft_library_code(weft_core)
  set_target_properties(weft_core PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION} LINKER_LANGUAGE CXX)
  weft_link_library(weft_core ${PROJECT_SOURCE_DIR}/cmake/core.map)
  weft_load_fast(weft_core)
  # Nobody comes between the core and itself: its calls are direct.
  target_link_options(weft_core PRIVATE -Wl,-Bsymbolic)
endfunction()

# weft_on_core(<target>): a library that stands on the core.
function(weft_on_core target)
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/base/new.cpp)
  target_link_libraries(${target} PRIVATE weft_core)
  # The two lie side by side, wherever that is. Programs of another user's rights believe no such way but the system's own
  # folders, and one that is written out.
  set(path $ORIGIN)
  if(NOT CMAKE_INSTALL_FULL_LIBDIR MATCHES "^/(usr/)?lib")
    list(APPEND path ${CMAKE_INSTALL_FULL_LIBDIR})
  endif()
  set_target_properties(${target} PROPERTIES BUILD_RPATH $ORIGIN INSTALL_RPATH "${path}")
endfunction()

# libweft.so, of the front end and the generated bindings.
function(weft_library)
  add_library(weft SHARED ${WEFT_BINDINGS})
  # The loops of the reductions. At -O2 gcc 12 makes vector code only of loops whose length it knows.
  set(reductions ${WEFT_BINDINGS})
  list(FILTER reductions INCLUDE REGEX "(collectives|nonblocking)\\.cpp$")
  set_source_files_properties(${reductions} PROPERTIES COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3>")
  add_library(Weft::weft ALIAS weft)
  weft_library_code(weft)
  target_link_libraries(weft PRIVATE weft_shmem)
  # Calls of the core without a step between.
  foreach(target IN ITEMS weft weft_shmem)
    target_compile_options(${target} PRIVATE -fno-plt)
  endforeach()
  weft_on_core(weft)
  set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME weft)
  weft_link_library(weft ${WEFT_SYMBOL_MAP})
  weft_load_fast(weft)
  target_include_directories(weft INTERFACE
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()
