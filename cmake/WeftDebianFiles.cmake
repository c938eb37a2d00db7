# Run by CPack between installing and packing: what Debian wants in every package and nobody else does. It runs for each
# generator; the staging area of the .deb has a folder for each component.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

set(top ${CMAKE_CURRENT_LIST_DIR}/..)
file(READ ${top}/LICENSE license)
string(REGEX REPLACE "^[^\n]*\n+Copyright[^\n]*\n+" "" license "${license}")  # the title and the holder have fields
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
file(READ ${top}/src/transport/tcp/libsodium-notice.txt notice)
string(REGEX REPLACE "^.*\n(Permission to use)" "\\1" notice "${notice}")
string(STRIP "${notice}" notice)
string(REPLACE "\n\n" "\n.\n" notice "${notice}")
string(REPLACE "\n" "\n " notice "${notice}")
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Weft

Files: *
Copyright: 2026 The Weft authors
License: BSD-3-clause
 ${license}

Files: src/transport/tcp/libsodium-notice.txt
Copyright: 2013-2023 Frank Denis <j at pureftpd dot org>
License: ISC
 ${notice}
Comment: Of libsodium, parts of which are in libweft_tcp.so.
")

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where it is set
function(write_changelog package file)
  file(WRITE ${CPACK_TEMPORARY_DIRECTORY}/changelog "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Packaged version ${CPACK_PACKAGE_VERSION}; CHANGELOG.md of weft-doc tells what changed.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
  execute_process(COMMAND gzip -9nc ${CPACK_TEMPORARY_DIRECTORY}/changelog OUTPUT_FILE ${file}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${CPACK_TEMPORARY_DIRECTORY}/changelog)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} name)
  set(package ${CPACK_DEBIAN_${name}_PACKAGE_NAME})
  set(doc ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${package})
  file(WRITE ${doc}/copyright "${copyright}")
  write_changelog(${package} ${doc}/changelog.gz)
endforeach()

# oshcc is oshcc.weft in the package, and an alternative by its name: cmake/WeftPackage.cmake.
function(name_of_ours variable name)
  string(REGEX MATCH "(\\.1\\.gz|\\.so)$" suffix "${name}")
  string(REGEX REPLACE "(\\.1\\.gz|\\.so)$" "" stem "${name}")
  set(${variable} ${stem}.weft${suffix} PARENT_SCOPE)
endfunction()
foreach(component IN ITEMS runtime dev)
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  foreach(name IN LISTS CPACK_WEFT_SHARED_NAMES_${component})
    name_of_ours(ours ${name})
    if(IS_SYMLINK ${usr}/${name})
      file(READ_SYMLINK ${usr}/${name} target)
      if(target MATCHES "^osh")  # another of them
        name_of_ours(target ${target})
      endif()
      file(REMOVE ${usr}/${name})
      file(CREATE_LINK ${target} ${usr}/${ours} SYMBOLIC)
    else()
      file(RENAME ${usr}/${name} ${usr}/${ours})
    endif()
  endforeach()
endforeach()

# MPI's names lead to what is in the package, not to the alternative, which may be Open MPI's.
foreach(link IN LISTS CPACK_WEFT_LAUNCHER_LINKS)
  set(path ${CPACK_TEMPORARY_DIRECTORY}/runtime/usr/${link})
  file(READ_SYMLINK ${path} target)
  name_of_ours(target ${target})
  file(REMOVE ${path})
  file(CREATE_LINK ${target} ${path} SYMBOLIC)
endforeach()

# The package lays its libraries where the system looks, and not where an installation from source would have them.
file(GLOB_RECURSE libraries ${CPACK_TEMPORARY_DIRECTORY}/runtime/usr/lib/libweft*.so*)
foreach(library IN LISTS libraries)
  if(NOT IS_SYMLINK ${library})
    set(path "")  # where there is none, it stays what it was
    file(READ_ELF ${library} RUNPATH path)
    if(path STREQUAL "$ORIGIN;${CPACK_WEFT_LIBDIR}")
      file(RPATH_CHANGE FILE ${library} OLD_RPATH "$ORIGIN:${CPACK_WEFT_LIBDIR}" NEW_RPATH "$ORIGIN")
    endif()
  endif()
endforeach()

# How lintian reads a script that is preinst, postinst, prerm and postrm, and names files in a loop.
set(one_script "# One script stands for all four: what takes alternatives away runs as prerm, and names are in a variable.
PACKAGE: postrm-removes-alternative *
PACKAGE: diversion-for-unknown-file *
")
string(REPLACE PACKAGE weft-dev text "${one_script}")
file(WRITE ${CPACK_TEMPORARY_DIRECTORY}/dev/usr/share/lintian/overrides/weft-dev "${text}")
string(REPLACE PACKAGE weft text "${one_script}")
file(WRITE ${CPACK_TEMPORARY_DIRECTORY}/runtime/usr/share/lintian/overrides/weft
"${text}# The library and the launcher speak a protocol of their own, so they come in one package.
weft: package-name-doesnt-match-sonames *
# A job of an empty program lasts a few milliseconds; finding shared libraries would be a good part of that.
weft: statically-linked-binary [usr/bin/oshrun.weft]
weft: statically-linked-binary [usr/libexec/weft/weft-agent]
# What a Fortran module declares; it calls nothing but Weft.
weft: library-not-linked-against-libc [*/libweft_shared_module.so*]
# Modules that libweft.so loads by their paths when a job needs them; nothing links with them.
weft: sharedobject-in-library-directory-missing-soname [*/libweft_*.so]
# Tools that are preloaded by their paths; nothing links with them either.
weft: shared-library-lacks-version *libweft_check.so*
weft: shared-library-lacks-version *libweft_profile.so*
weft: shared-library-lacks-version *libweft_image.so*
")
