# The packages that `./dev package` makes with CPack: a .deb of each component, and a tar.gz of all.

set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The Weft authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each .deb has its own, below
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL runtime dev doc)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_ARCHIVE_FILE_NAME weft-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_FILE_NAME ${CPACK_ARCHIVE_FILE_NAME})  # also the folder that the archive unpacks to

# Who hands out packages puts a name here; the default only says that nobody has.
set(WEFT_PACKAGE_MAINTAINER "The Weft authors <weft@localhost>" CACHE STRING "Maintainer of the .deb packages")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${WEFT_PACKAGE_MAINTAINER})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/WeftDebianFiles.cmake)

# The first line is the summary, and the rest is the same for all but the last paragraph.
function(weft_describe component summary contents)
  set(CPACK_DEBIAN_${component}_DESCRIPTION "OpenSHMEM for Linux machines (${summary})
Weft runs OpenSHMEM programs on Linux machines, one or several: processes
that read and write each other's memory. It needs no MPI, no kernel module
and no daemon.

${contents}" PARENT_SCOPE)
endfunction()

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME weft)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# oshrun --hosts starts its agents by ssh; libpmix is loaded by its name under mpirun and srun --mpi=pmix.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "weft-doc, openssh-client, libpmix2")
# What a package of a program that links with us depends on. CPack could write it, but only by looking at each file of each
# package with `file`, and manual pages are thousands.
set(shlibs "")
foreach(library IN LISTS weft_libraries ITEMS weft_core weft_openmp)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    get_target_property(soversion ${library} SOVERSION)
    get_target_property(name ${library} OUTPUT_NAME)
    if(NOT name)
      set(name ${library})
    endif()
    string(APPEND shlibs "lib${name} ${soversion} weft (>= ${PROJECT_VERSION})\n")
  endif()
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "${shlibs}")

# Files that Open MPI's packages have too, by the same names: WeftDebianFiles.cmake gives ours another, and the packages'
# scripts make alternatives of both (packaging/debian). The first is the one that update-alternatives is asked about.
set(weft_shared_names_runtime bin/oshrun share/man/man1/oshrun.1.gz)
set(weft_shared_names_dev bin/oshcc bin/oshc++ bin/oshcxx bin/oshfort share/man/man1/oshcc.1.gz share/man/man1/oshc++.1.gz
    share/man/man1/oshcxx.1.gz share/man/man1/oshfort.1.gz ${CMAKE_INSTALL_LIBDIR}/liboshmem.so)

# weft_debian_scripts(<component> <package> <more lines of its triggers>...): CPACK_DEBIAN_<component>_PACKAGE_CONTROL_EXTRA
function(weft_debian_scripts component PACKAGE)
  string(TOLOWER ${component} lower)
  set(folder ${PROJECT_BINARY_DIR}/debian/${PACKAGE})
  list(TRANSFORM weft_shared_names_${lower} PREPEND /usr/ OUTPUT_VARIABLE NAMES)
  set(triggers ${ARGN})
  foreach(name IN LISTS NAMES)  # dpkg tells when Open MPI's come and go, which it knows by the names they are diverted to
    string(REGEX MATCH "(\\.1\\.gz|\\.so)$" suffix "${name}")
    string(REGEX REPLACE "(\\.1\\.gz|\\.so)$" "" stem "${name}")
    list(APPEND triggers "interest-noawait ${stem}.openmpi${suffix}")
  endforeach()
  list(JOIN triggers "\n" triggers)
  file(WRITE ${folder}/triggers "${triggers}\n")
  list(JOIN NAMES " " NAMES)
  set(extra ${folder}/triggers)
  foreach(script IN ITEMS preinst postinst prerm postrm)
    configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/alternatives.sh.in ${folder}/${script} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    list(APPEND extra ${folder}/${script})
  endforeach()
  set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA ${extra} PARENT_SCOPE)
endfunction()
weft_debian_scripts(RUNTIME weft "activate-noawait ldconfig")
weft_debian_scripts(DEV weft-dev)
list(APPEND CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs)
foreach(component IN ITEMS runtime dev)
  set(CPACK_WEFT_SHARED_NAMES_${component} ${weft_shared_names_${component}})  # CPack hands on what begins so
endforeach()
set(CPACK_WEFT_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
if(WEFT_MPI)
  set(CPACK_WEFT_LAUNCHER_LINKS ${WEFT_MPI_DIR}/bin/mpiexec ${WEFT_MPI_DIR}/bin/mpirun)
endif()
weft_describe(RUNTIME "library and launcher"
"This package has what a compiled program needs: the libraries, the launcher
oshrun, weft-info, weft-perf, weft-profile and weft-scale. MPI programs built
for the standard's binary interface and OpenMP programs run on it too.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME weft-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "weft (= ${PROJECT_VERSION}), gcc | c-compiler, libc6-dev | libc-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "g++ | c++-compiler, gfortran, pkg-config, cmake, weft-doc")
weft_describe(DEV "headers and compiler wrappers"
"This package has what compiling takes: the headers, the compiler wrappers
oshcc, oshc++ and oshfort, a pkg-config file and a CMake package; and those
of MPI, weft-mpicc and weft-mpicxx, with the manual pages of its functions,
and of OpenMP, weft-ompcc, weft-omp++ and weft-ompfort.")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME weft-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
weft_describe(DOC "documentation"
"This package has the documentation, the manual pages of the routines, and
examples.")

include(CPack)
