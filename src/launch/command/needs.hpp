// Which libraries a program asks the dynamic linker for, and which MPI that makes it a program of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::launch::command {

/// The library of MPI's standard binary interface (MPI 5.0, chapter 20).
inline constexpr std::string_view kMpiLibrary = "libmpi_abi.so.1";

/// Of a file's dynamic section.
struct Needs {
  std::vector<std::string> libraries;
  std::string rpath;    // of no effect where there is a runpath
  std::string runpath;  // comes after LD_LIBRARY_PATH, an rpath before it
};

/// Nothing when the file is no program or library of this kind of machine, or a static one. Any bytes may be in it.
std::optional<Needs> read_needs(int fd);
std::optional<Needs> read_needs(const std::string& path);

/// Whether the name is that of a library of an MPI whose binary interface is its own: libmpi.so.12, libmpi.so.40.
bool is_older_mpi(std::string_view library);

/// What of MPI a program needs, by itself or by libraries that it needs.
struct MpiNeeds {
  bool standard = false;  // kMpiLibrary
  std::string elsewhere;  // the file of that name that its RPATH leads to, whatever LD_LIBRARY_PATH says
  std::string older;      // such a library
  std::string through;    // the library by which it needs that; empty: by itself
};

/// `own` is what read_needs says of the program. `library_path` is LD_LIBRARY_PATH, as the program will have it.
/// `everywhere` looks at libraries in the system's folders as well, else only at those where the program and the
/// variable say that some are.
MpiNeeds find_mpi(const std::string& program, const std::optional<Needs>& own, const char* library_path,
                  bool everywhere);

/// A library that the dynamic linker loads for a program.
struct Library {
  std::string name;  // as it is needed
  std::string path;
  bool by_rpath = false;  // an RPATH leads to it, whatever LD_LIBRARY_PATH says
};

/// Those of the program that find_mpi looks at with `everywhere`: not the system's, the compilers' and Weft's own.
std::vector<Library> find_libraries(const std::string& program, const std::optional<Needs>& own,
                                    const char* library_path);

/// What of OpenMP a program needs by itself.
struct OpenMpNeeds {
  std::string runtime;  // the library that runs its regions, of those whose place Weft's can take; empty: none
  std::string apart;    // the library for which its processes stay programs of their own; empty: none
};
OpenMpNeeds find_openmp(const Needs& needs);

}  // namespace weft::launch::command
