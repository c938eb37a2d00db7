# What `./dev install PREFIX` lays down. Each file is of one component: runtime (what a compiled program needs; also what names
# no component), dev (what compiling takes) or doc. cmake/WeftPackage.cmake makes a package of each.

include(CMakePackageConfigHelpers)

set(weft_libraries weft weft_fortran weft_for_fortran)
if(TARGET weft_fortran_module)
  list(APPEND weft_libraries weft_fortran_module)
endif()
install(TARGETS ${weft_libraries} EXPORT WeftTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
get_property(weft_modules GLOBAL PROPERTY WEFT_MODULES)
install(TARGETS weft_check weft_profile_tool ${weft_modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/generated/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.fh" PATTERN "*.mod")

set(weft_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Weft)
install(EXPORT WeftTargets NAMESPACE Weft:: DESTINATION ${weft_package_dir} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/WeftConfig.cmake.in ${PROJECT_BINARY_DIR}/WeftConfig.cmake
                              INSTALL_DESTINATION ${weft_package_dir} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/WeftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/WeftConfig.cmake ${PROJECT_BINARY_DIR}/WeftConfigVersion.cmake
        DESTINATION ${weft_package_dir} COMPONENT dev)

# A relative way from weft.pc to the prefix, so that a moved installation still works.
file(RELATIVE_PATH WEFT_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" WEFT_PC_TO_PREFIX ${WEFT_PC_TO_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/weft.pc.in ${PROJECT_BINARY_DIR}/weft.pc @ONLY)
set(WEFT_PC_FORTRAN_LIBS "-lweft_fortran -lweft")
if(TARGET weft_fortran_module)
  set(WEFT_PC_FORTRAN_LIBS "-lweft_fortran_module ${WEFT_PC_FORTRAN_LIBS}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/weft-fortran.pc.in ${PROJECT_BINARY_DIR}/weft-fortran.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weft.pc ${PROJECT_BINARY_DIR}/weft-fortran.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/src/transport/tcp/libsodium-notice.txt
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN man EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
        PATTERN CMakeLists.txt EXCLUDE)

# For other Fortran compilers than the one that made the .mod files.
install(FILES ${WEFT_FORTRAN_MODULE} ${PROJECT_SOURCE_DIR}/src/fortran/module_handles.cpp
        DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/fortran COMPONENT dev)
