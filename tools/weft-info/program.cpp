#include "program.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "elf.hpp"
#include "launch/command/inside.hpp"
#include "launch/command/needs.hpp"
#include "launch/command/program.hpp"
#include "modules.hpp"
#include "omp/sites/functions.hpp"
#include "omp/sites/mapped.hpp"
#include "omp/sites/sites.hpp"

namespace weft::info {
namespace {

using base::Error;
using base::Result;
using omp::sites::Mapped;
namespace command = launch::command;

// What is known of the program before anything follows from it.
struct Known {
  Elf elf;
  command::OpenMpNeeds openmp;
  command::MpiNeeds mpi;
  std::string other_openmp;  // a run-time library whose place Weft's cannot take
  std::string other_shmem;
  std::string by_rpath;  // the compiler's own library, to which an RPATH leads
  bool has_openmp_inside = false;
};

bool is_openmp(std::string_view library) {
  return library.starts_with("libgomp.so") || library.starts_with("libomp.so") || library.starts_with("libiomp5.so");
}

std::string real_path(const std::string& path) {
  char whole[PATH_MAX];
  return ::realpath(path.c_str(), whole) != nullptr ? whole : path;
}

// Weft's library lies behind others' names, too.
bool is_compilers(const std::string& path) {
  const std::string whole = real_path(path);
  return is_openmp(std::string_view(whole).substr(whole.rfind('/') + 1));
}

void look_at_libraries(Known& known, const std::optional<command::Needs>& needs, Program& program) {
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  known.mpi = command::find_mpi(program.path, needs, path, true);
  if (real_path(known.mpi.elsewhere) == find_beside_library("weft/mpi/lib/libmpi_abi.so.1"))
    known.mpi.elsewhere.clear();
  for (const command::Library& library : command::find_libraries(program.path, needs, path)) {
    if (is_openmp(library.name)) {
      if (library.by_rpath && is_compilers(library.path)) known.by_rpath = library.path;
      continue;
    }
    const Mapped file(library.path.c_str());
    const std::optional<Elf> elf = file ? read_elf(file.bytes()) : std::nullopt;
    if (elf && elf->asks_for_regions) program.regions.push_back(library.name);
  }
}

void look_at_names(Known& known, const command::Needs& needs, Program& program) {
  const auto add = [&](const char* interface, const std::string& library) {
    program.interfaces.push_back(std::string(interface) + " (" + library + ")");
  };
  for (const std::string& library : needs.libraries) {
    if (library == command::kMpiLibrary) add("MPI", library);
    if (library == "libweft.so.0") add("OpenSHMEM", library);
    if (library == "libweft_shared.so.0") add("shared pages", library);
    if (library.starts_with("liboshmem.so.") || library.starts_with("libsma.so.")) known.other_shmem = library;
    if (library.starts_with("libiomp5.so")) known.other_openmp = library;
  }
  if (!known.mpi.older.empty()) add("another MPI", known.mpi.older);
  if (!known.other_shmem.empty()) add("another OpenSHMEM", known.other_shmem);
}

Atomics look_for_atomics(const Mapped& file) {
  Atomics atomics;
  const auto functions = omp::sites::find_functions(file.bytes());
  if (!functions) {
    atomics.problem = "they are looked for in programs for x86-64 only";
    return atomics;
  }
  const Module module = load_module(omp::sites::kLibrary);
  void* const decode = module.library != nullptr ? ::dlsym(module.library, omp::sites::kFunction) : nullptr;
  if (decode == nullptr) {
    if (omp::sites::may_have_sites(file.bytes(), *functions)) {
      atomics.problem = "it may have some, and what reads instructions is not there: " + module.why;
    }
    return atomics;
  }
  const omp::sites::Sites sites =
      omp::sites::find_sites(file.bytes(), *functions, reinterpret_cast<omp::sites::Decode*>(decode));
  atomics.jumps = static_cast<int>(std::count_if(sites.sites.begin(), sites.sites.end(),
                                                 [](const omp::sites::Site& site) { return site.has_room(); }));
  atomics.traps = static_cast<int>(sites.sites.size()) - atomics.jumps;
  if (!sites.unclear.empty()) {
    atomics.problem = std::to_string(sites.unclear.size()) +
                      (sites.unclear.size() == 1 ? " function has" : " functions have") +
                      " atomic instructions among bytes that are none";
  }
  return atomics;
}

Outcome each(std::string why, std::string remedy = {}) {
  return {Outcome::Is::kEach, std::move(why), std::move(remedy)};
}
Outcome none(std::string why, std::string remedy) { return {Outcome::Is::kNone, std::move(why), std::move(remedy)}; }

// Of a program that is not to be one with the other processes of its job.
Outcome apart(const command::OpenMpNeeds& openmp) {
  if (openmp.apart != command::kMpiLibrary && !openmp.apart.starts_with("libweft")) {
    return each("it is built with a sanitizer (" + openmp.apart + ")", "build it without");
  }
  return each("they are one job, by " + openmp.apart +
              (openmp.runtime.empty() ? "" : "; a region is of the threads of the process that meets it"));
}

Outcome on_one_host(const Known& known) {
  const Elf& elf = known.elf;
  if (!known.mpi.older.empty()) {
    return none("it was built for another MPI (" + known.mpi.older +
                    (known.mpi.through.empty() ? "" : " by " + known.mpi.through) + ")",
                "build it with weft-mpicc, or start it with that MPI's own mpiexec");
  }
  if (!known.other_shmem.empty()) {
    return each("it was built for another OpenSHMEM (" + known.other_shmem + ")", "build it with oshcc");
  }
  if (!known.mpi.elsewhere.empty()) {
    return each("its RPATH names " + known.mpi.elsewhere + ", which wins over Weft's",
                "link it with -Wl,--enable-new-dtags, or take the RPATH out (chrpath -d)");
  }
  const char* const wish = std::getenv("WEFT_OPENMP");
  const bool stays_apart = wish != nullptr && std::strcmp(wish, "apart") == 0;
  if (known.has_openmp_inside && known.openmp.apart.empty() && known.openmp.runtime.empty()) {
    constexpr const char* kWhy = "an OpenMP library is linked into it, which knows of one process";
    return stays_apart ? each(kWhy) : none(kWhy, "link it with the shared library, or set WEFT_OPENMP=apart");
  }
  if (elf.is_static)
    return each("it is linked statically, and a library cannot be put before it", "link it without -static");
  if (!known.other_openmp.empty()) {
    return each("its OpenMP is " + known.other_openmp + ", whose place Weft's library cannot take",
                "compile it with gcc or clang");
  }
  if (!known.openmp.apart.empty()) return apart(known.openmp);
  if (known.openmp.runtime.empty()) return each("it needs no OpenMP library by itself");
  if (stays_apart) return each("WEFT_OPENMP=apart is set", "unset WEFT_OPENMP");
  if (find_beside_library("libweft_image.so").empty()) return each("this Weft is built without OpenMP");
  if (!known.by_rpath.empty()) {
    return none("its RPATH, or that of a library, leads to " + known.by_rpath + ", which knows of one process",
                "take the RPATH out (chrpath -d)");
  }
  // Of libraries it does not matter, as they come behind ours.
  if (elf.has_malloc) {
    return none("it has a malloc of its own, whose memory the processes would not share",
                "link it without, or set WEFT_OPENMP=apart");
  }
  return {Outcome::Is::kOne, {}, {}};
}

Outcome on_several_hosts(const Known& known, const Program& program) {
  if (program.one_host.is != Outcome::Is::kOne) return program.one_host;
  if (program.atomics && !program.atomics->problem.empty()) {
    return none("atomic instructions: " + program.atomics->problem, "start it on one host");
  }
  if (!known.elf.has_relro) return none("it is linked without RELRO", "link it without -z norelro");
  return {Outcome::Is::kOne, {}, {}};
}

std::string kind_of(const Elf& elf) {
  std::string kind = elf.is_static ? "static executable" : "executable";
  kind += elf.lies_anywhere ? " at any address (PIE)" : " at fixed addresses (no PIE)";
  return kind;
}

}  // namespace

const char* outcome_text(Outcome::Is is) {
  switch (is) {
    case Outcome::Is::kOne: return "one program";
    case Outcome::Is::kEach: return "each its own";
    default: return "does not run";
  }
}

Result<Program> look_at_program(const std::string& name) {
  const command::Program found = command::find_program(name.c_str(), std::getenv("PATH"));
  if (found.exit_code != 0) return Error::make("%s", found.problem.c_str());
  const Mapped file(found.path.c_str());
  const std::string_view head(reinterpret_cast<const char*>(file.bytes().data()), file ? file.bytes().size() : 0);
  if (head.starts_with("#!")) {
    return Error::make("%s: is a script; name the program that it starts", found.path.c_str());
  }
  const std::optional<Elf> elf = file ? read_elf(file.bytes()) : std::nullopt;
  if (!elf || elf->machine != command::kMachine) {
    return Error::make("%s", command::explain_refusal(found.path, ENOEXEC).problem.c_str());
  }
  if (!elf->is_executable) return Error::make("%s: is a library; name a program", found.path.c_str());

  Program program;
  Known known;
  known.elf = *elf;
  known.has_openmp_inside = command::has_openmp_inside(found.path);
  program.path = found.path;
  program.kind = kind_of(*elf);
  program.build_id = elf->build_id;
  program.compilers = elf->compilers;
  const std::optional<command::Needs> needs = command::read_needs(found.path);
  look_at_libraries(known, needs, program);
  if (needs) {
    known.openmp = command::find_openmp(*needs);
    look_at_names(known, *needs, program);
  }
  program.openmp = !known.openmp.runtime.empty() ? known.openmp.runtime : known.other_openmp;
  if (elf->has_regions_inside) program.openmp = "linked in";
  if (!program.openmp.empty()) {
    program.interfaces.push_back("OpenMP (" + program.openmp + ")");
  }
  program.one_host = on_one_host(known);
  if (program.one_host.is == Outcome::Is::kOne) program.atomics = look_for_atomics(file);
  program.several_hosts = on_several_hosts(known, program);
  return program;
}

}  // namespace weft::info
