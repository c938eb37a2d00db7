# The generated part of Weft: headers, bindings, call numbers and symbol map, made from api/*.toml by tools/gen.
#
#   weft_api          INTERFACE target: the generated include directories, and everything generated before it is used
#   WEFT_BINDINGS     the generated .cpp files of libweft.so
#   WEFT_SYMBOL_MAP   its version script
#   WEFT_WRAPPERS, WEFT_TOOL_SYMBOL_MAP               the same of tools that see every call (src/interpose)
#   WEFT_MPI_WRAPPERS                                 of MPI's functions, for tools that see them too
#   WEFT_FORTRAN_BINDINGS, WEFT_FORTRAN_SYMBOL_MAP    the same of libweft_fortran.so
#   WEFT_MPI_BINDINGS, WEFT_MPI_SYMBOL_MAP            the same of libmpi_abi.so; mpi.h lies in a folder of its own
#   WEFT_FORTRAN_MODULE                               the sources of the module shmem
#   WEFT_SHARED_MODULE                                of the module weft_shared

if(Python3_VERSION VERSION_LESS 3.11)
  message(FATAL_ERROR "Weft's generator needs Python 3.11 (tomllib); found ${Python3_VERSION}")
endif()

set(weft_generate ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/gen/generate.py --api ${PROJECT_SOURCE_DIR}/api)
set(weft_generated ${PROJECT_BINARY_DIR}/generated)
file(GLOB weft_generator CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/gen/*.py ${PROJECT_SOURCE_DIR}/tools/gen/*/*.py)
set(weft_generator_input ${weft_generator})
foreach(table IN ITEMS interfaces routines types fortran mpi)
  list(APPEND weft_generator_input ${PROJECT_SOURCE_DIR}/api/${table}.toml)
endforeach()
list(APPEND weft_generator_input ${PROJECT_SOURCE_DIR}/api/shared/routines.toml ${PROJECT_SOURCE_DIR}/api/shared/types.toml
     ${PROJECT_SOURCE_DIR}/api/shared/options.def)
# Which files there are depends on the tables, and CMake has to know them before it builds.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${weft_generator_input})

execute_process(COMMAND ${weft_generate} --list OUTPUT_VARIABLE weft_products RESULT_VARIABLE weft_failed
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(weft_failed)
  message(FATAL_ERROR "tools/gen does not understand api/*.toml; the reason is above")
endif()
string(REPLACE "\n" ";" weft_products "${weft_products}")

# weft_products_like(<variable> <regex>): those of the products.
macro(weft_products_like variable regex)
  set(${variable} ${weft_products})
  list(FILTER ${variable} INCLUDE REGEX "${regex}")
  list(TRANSFORM ${variable} PREPEND ${weft_generated}/)
endmacro()
weft_products_like(WEFT_BINDINGS "^src/api/.*\\.cpp$")
weft_products_like(WEFT_SYMBOL_MAP "^src/api/.*\\.map$")
weft_products_like(WEFT_WRAPPERS "^interpose/shmem/.*\\.cpp$")
weft_products_like(WEFT_MPI_WRAPPERS "^interpose/mpi/.*\\.cpp$")
weft_products_like(WEFT_TOOL_SYMBOL_MAP "^interpose/.*\\.map$")
weft_products_like(WEFT_FORTRAN_BINDINGS "^fortran/.*\\.cpp$")
weft_products_like(WEFT_FORTRAN_SYMBOL_MAP "^fortran/.*\\.map$")
weft_products_like(WEFT_MPI_BINDINGS "^mpi/.*\\.cpp$")
weft_products_like(WEFT_MPI_SYMBOL_MAP "^mpi/.*\\.map$")
weft_products_like(WEFT_FORTRAN_MODULE "^fortran/.*\\.f90$")
weft_products_like(WEFT_SHARED_MODULE "^shared/.*\\.f90$")

list(TRANSFORM weft_products PREPEND ${weft_generated}/)

# The stamp is what is out of date; the products keep their times when they did not change.
add_custom_command(
  OUTPUT ${weft_generated}/stamp
  BYPRODUCTS ${weft_products}
  COMMAND ${weft_generate} --out ${weft_generated} --version ${PROJECT_VERSION}
  COMMAND ${CMAKE_COMMAND} -E touch ${weft_generated}/stamp
  DEPENDS ${weft_generator_input}
  COMMENT "Generating the interfaces from api/*.toml"
  VERBATIM)
add_custom_target(weft_api_files DEPENDS ${weft_generated}/stamp)

add_library(weft_api INTERFACE)
add_dependencies(weft_api weft_api_files)
set(WEFT_MPI_INCLUDE ${weft_generated}/mpi/include)
target_include_directories(weft_api INTERFACE
  ${weft_generated}/include ${weft_generated}/src ${PROJECT_SOURCE_DIR}/include)
