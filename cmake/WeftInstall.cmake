# What `./dev install PREFIX` lays down. Each file is of one component: runtime (what a compiled program needs; also what names
# no component), dev (what compiling takes) or doc. cmake/WeftPackage.cmake makes a package of each.

include(CMakePackageConfigHelpers)

set(weft_libraries weft weft_shared_pages weft_fortran weft_for_fortran)
if(TARGET weft_fortran_module)
  list(APPEND weft_libraries weft_fortran_module weft_shared_module)
endif()
install(TARGETS ${weft_libraries} EXPORT WeftTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
# Beside them, and nobody but they link with it.
install(TARGETS weft_core EXPORT WeftTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_SKIP)
get_property(weft_modules GLOBAL PROPERTY WEFT_MODULES)
install(TARGETS weft_check weft_profile_tool weft_image ${weft_modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/generated/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.fh" PATTERN "*.mod")

set(weft_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Weft)
install(EXPORT WeftTargets NAMESPACE Weft:: DESTINATION ${weft_package_dir} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/WeftConfig.cmake.in ${PROJECT_BINARY_DIR}/WeftConfig.cmake
                              INSTALL_DESTINATION ${weft_package_dir} PATH_VARS CMAKE_INSTALL_BINDIR WEFT_MPI_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/WeftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/WeftConfig.cmake ${PROJECT_BINARY_DIR}/WeftConfigVersion.cmake
        DESTINATION ${weft_package_dir} COMPONENT dev)

# The names that configure tests and finders of other projects look for: a package, below a .pc file, and libraries. Those
# are links, so that a program still needs libweft.so.0, and a process that opens one by its name gets the same library.
set(WEFT_SPECIFICATION 1.6)
set(openshmem_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/OpenSHMEM)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/OpenSHMEMConfig.cmake.in ${PROJECT_BINARY_DIR}/OpenSHMEMConfig.cmake
                              INSTALL_DESTINATION ${openshmem_package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/OpenSHMEMConfigVersion.cmake VERSION ${WEFT_SPECIFICATION}
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/OpenSHMEMConfig.cmake ${PROJECT_BINARY_DIR}/OpenSHMEMConfigVersion.cmake
        DESTINATION ${openshmem_package_dir} COMPONENT dev)
file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})  # which a new build folder has not yet
foreach(name IN ITEMS oshmem sma)
  install(CODE "file(CREATE_LINK libweft.so \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/lib${name}.so\" SYMBOLIC)"
          COMPONENT dev)
  file(CREATE_LINK libweft.so ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${name}.so SYMBOLIC)  # for the wrappers of the build
endforeach()

# A relative way from weft.pc to the prefix, so that a moved installation still works.
file(RELATIVE_PATH WEFT_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" WEFT_PC_TO_PREFIX ${WEFT_PC_TO_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/weft.pc.in ${PROJECT_BINARY_DIR}/weft.pc @ONLY)
set(WEFT_PC_FORTRAN_LIBS "-lweft_fortran -lweft")
if(TARGET weft_fortran_module)
  set(WEFT_PC_FORTRAN_LIBS "-lweft_fortran_module ${WEFT_PC_FORTRAN_LIBS} -Wl,--push-state,--as-needed -lweft_shared_module -lweft_shared -Wl,--pop-state")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/weft-fortran.pc.in ${PROJECT_BINARY_DIR}/weft-fortran.pc @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/openshmem.pc.in ${PROJECT_BINARY_DIR}/openshmem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weft.pc ${PROJECT_BINARY_DIR}/weft-fortran.pc ${PROJECT_BINARY_DIR}/openshmem.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# MPI's names, in a folder that no other package of an MPI has: links to what lies among our own.
configure_file(${PROJECT_SOURCE_DIR}/cmake/weft-mpi.pc.in ${PROJECT_BINARY_DIR}/weft-mpi.pc @ONLY)
if(WEFT_MPI)
  install(DIRECTORY ${WEFT_MPI_INCLUDE}/ DESTINATION ${WEFT_MPI_DIR}/include COMPONENT dev)
  install(FILES ${PROJECT_BINARY_DIR}/weft-mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
  file(RELATIVE_PATH to_bin /${WEFT_MPI_DIR}/bin /${CMAKE_INSTALL_BINDIR})
  file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/weft/mpi/bin)
  foreach(link IN ITEMS mpiexec=oshrun=runtime mpirun=oshrun=runtime mpicc=weft-mpicc=dev mpicxx=weft-mpicxx=dev mpic++=weft-mpicxx=dev)
    string(REPLACE "=" ";" link ${link})
    list(GET link 0 name)
    list(GET link 1 target)
    list(GET link 2 component)
    install(DIRECTORY DESTINATION ${WEFT_MPI_DIR}/bin COMPONENT ${component})
    install(CODE "file(CREATE_LINK ${to_bin}/${target} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${WEFT_MPI_DIR}/bin/${name}\" SYMBOLIC)"
            COMPONENT ${component})
    file(CREATE_LINK ../../../../bin/${target} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/weft/mpi/bin/${name} SYMBOLIC)
  endforeach()
endif()

# What bash asks for by a command's name; no links, which a wheel cannot hold.
set(weft_completions ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
foreach(launcher IN ITEMS oshrun weftrun)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/completion/weft.bash DESTINATION ${weft_completions} RENAME ${launcher})
endforeach()
set(wrappers oshcc oshc++ oshcxx oshfort weft-ompcc weft-omp++ weft-ompfort)
if(WEFT_MPI)
  list(APPEND wrappers weft-mpicc weft-mpicxx)
endif()
foreach(wrapper IN LISTS wrappers)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/completion/weft.bash DESTINATION ${weft_completions} RENAME ${wrapper}
          COMPONENT dev)
endforeach()
set(weft_modulefiles ${CMAKE_INSTALL_DATADIR}/modulefiles/weft)
file(RELATIVE_PATH WEFT_MODULE_TO_PREFIX /${weft_modulefiles} /)
string(REGEX REPLACE "/$" "" WEFT_MODULE_TO_PREFIX ${WEFT_MODULE_TO_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/packaging/modulefile/weft.in ${PROJECT_BINARY_DIR}/modulefile @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefile DESTINATION ${weft_modulefiles} RENAME ${PROJECT_VERSION})
if(WEFT_MPI)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/modulefile/weft-mpi.in ${PROJECT_BINARY_DIR}/modulefile-mpi @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/modulefile-mpi DESTINATION ${weft_modulefiles}-mpi RENAME ${PROJECT_VERSION})
endif()

install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/SECURITY.md ${PROJECT_SOURCE_DIR}/CITATION.cff
              ${PROJECT_SOURCE_DIR}/src/transport/tcp/libsodium-notice.txt
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN man EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
        PATTERN CMakeLists.txt EXCLUDE)

# For other Fortran compilers than the one that made the .mod files.
install(FILES ${WEFT_FORTRAN_MODULE} ${WEFT_SHARED_MODULE} ${PROJECT_SOURCE_DIR}/src/fortran/module_handles.cpp
        DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/fortran COMPONENT dev)
