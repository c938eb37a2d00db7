# The algorithms that the collectives use unless WEFT_COLL_... says otherwise when a program runs:
#   cmake -DWEFT_COLL_BROADCAST=binomial_put ...
# The names are those of api/algorithms.def; a wrong one is found here, and not by the first program.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/api/algorithms.def)
set(weft_built_defaults "{\"\", \"\"}")
foreach(pair IN ITEMS BARRIER:BARRIER BROADCAST:BROADCAST COLLECT:COLLECT FCOLLECT:COLLECT ALLTOALL:ALLTOALL
                      ALLTOALLS:ALLTOALL REDUCE:REDUCE SCAN:SCAN REDUCE_TO:REDUCE_TO PULL:PULL)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 operation)
  list(GET pair 1 table)
  set(WEFT_COLL_${operation} auto CACHE STRING "default algorithm: auto or a name of api/algorithms.def")
  file(STRINGS ${PROJECT_SOURCE_DIR}/api/algorithms.def names REGEX "^WEFT_${table}\\(")
  list(TRANSFORM names REPLACE "^WEFT_${table}\\(([a-z_]+),.*" "\\1")
  if(NOT WEFT_COLL_${operation} IN_LIST names AND NOT WEFT_COLL_${operation} STREQUAL auto)
    string(REPLACE ";" ", " names "${names}")
    message(FATAL_ERROR "WEFT_COLL_${operation}=${WEFT_COLL_${operation}} is not known; choose one of: auto, ${names}")
  endif()
  string(TOLOWER ${operation} lower)
  string(APPEND weft_built_defaults ", {\"coll_${lower}\", \"${WEFT_COLL_${operation}}\"}")
endforeach()
