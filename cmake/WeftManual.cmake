# The manual pages: of the routines, made from api/*.toml, and those of docs/man. They are compressed, as manual pages are
# installed, and lie in build/<preset>/man, so `man -M build/dev/man shmem_put` reads them; MPI's are in its folder mpi.

set(WEFT_MANUAL ${PROJECT_BINARY_DIR}/man)
file(GLOB weft_manual_input CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/* ${PROJECT_SOURCE_DIR}/api/*
     ${PROJECT_SOURCE_DIR}/api/shared/*
     ${PROJECT_SOURCE_DIR}/examples/*/*.*)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/manual.stamp
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/gen/manual.py --top ${PROJECT_SOURCE_DIR}
          --out ${WEFT_MANUAL} --version ${PROJECT_VERSION}
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/manual.stamp
  DEPENDS ${weft_generator} ${weft_manual_input}
  COMMENT "Generating the manual pages"
  VERBATIM)
add_custom_target(weft_manual ALL DEPENDS ${PROJECT_BINARY_DIR}/manual.stamp)

# A tool's page comes with the tool.
set(wrappers "/(osh(cc|cxx|c\\+\\+|fort)|weft-mpi(cc|cxx)|weft-omp(cc|\\+\\+|fort))\\.1\\.gz$")
install(DIRECTORY ${WEFT_MANUAL}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT runtime REGEX "${wrappers}" EXCLUDE)
install(DIRECTORY ${WEFT_MANUAL}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT dev
        FILES_MATCHING REGEX "${wrappers}")
install(DIRECTORY ${WEFT_MANUAL}/man3 ${WEFT_MANUAL}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT doc)
if(WEFT_MPI)
  # Beside the folder that has mpiexec and mpicc: man looks there when that is in PATH, and no other MPI's page is of the same name.
  install(DIRECTORY ${WEFT_MANUAL}/mpi/man3 DESTINATION ${WEFT_MPI_DIR}/share/man COMPONENT dev)
endif()
