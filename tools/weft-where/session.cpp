#include "session.hpp"

#include <dwarf.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/demangle.hpp"

namespace weft::where {
namespace {

char* g_debug_folders = nullptr;  // libdw's own default

constexpr Dwfl_Callbacks kOfProcess = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr,
                                       &g_debug_folders};
constexpr Dwfl_Callbacks kOfFile = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo, dwfl_offline_section_address,
                                    &g_debug_folders};

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

std::string plus(const std::string& name, Dwarf_Addr offset) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(offset));
  return name + (offset == 0 ? "" : text);
}

struct Source {
  std::string function;  // "" when only the symbol table knows
  std::string line;      // "solver.c:88", or nothing
};

std::string line_text(const char* file, int number) {
  return file == nullptr || number == 0 ? "" : std::string(base_name(file)) + ":" + std::to_string(number);
}

bool is_artificial(Dwarf_Die* inlined) {
  Dwarf_Attribute attribute;
  bool artificial = false;
  return dwarf_attr_integrate(inlined, DW_AT_artificial, &attribute) != nullptr &&
         dwarf_formflag(&attribute, &artificial) == 0 && artificial;
}

std::string called_from(Dwarf_Die* unit, Dwarf_Die* inlined) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0;
  Dwarf_Word line = 0;
  Dwarf_Files* files = nullptr;
  std::size_t n_files = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
      dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
      dwarf_getsrcfiles(unit, &files, &n_files) != 0 || file >= n_files) {
    return {};
  }
  return line_text(dwarf_filesrc(files, file, nullptr, nullptr), static_cast<int>(line));
}

// The unit of translation that has the address. libdw goes by a table that gcc writes and clang does not: then all
// units are asked.
Dwarf_Die* unit_at(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias) {
  if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, bias); unit != nullptr) return unit;
  Dwarf_Die* unit = dwfl_module_nextcu(module, nullptr, bias);
  while (unit != nullptr && dwarf_haspc(unit, address - *bias) <= 0) unit = dwfl_module_nextcu(module, unit, bias);
  return unit;
}

std::string line_in(Dwarf_Die* unit, Dwarf_Addr address) {
  Dwarf_Line* found = dwarf_getsrc_die(unit, address);
  int number = 0;
  if (found == nullptr || dwarf_lineno(found, &number) != 0) return {};
  return line_text(dwarf_linesrc(found, nullptr, nullptr), number);
}

// The function at an address, and those it has been inlined into, innermost first. Nothing without debug information.
std::vector<Source> sources_at(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = unit_at(module, address, &bias);
  if (unit == nullptr) return {};
  std::string line = line_in(unit, address - bias);
  std::vector<Source> sources;
  Dwarf_Die* innermost = nullptr;
  Dwarf_Die* scopes = nullptr;
  // The first call nests an inlined function as it was written, the second one as it is in the machine's code.
  int n = 0;
  if (dwarf_getscopes(unit, address - bias, &innermost) > 0) {
    n = dwarf_getscopes_die(&innermost[0], &scopes);
  }
  for (int k = 0; k < n; ++k) {
    const int tag = dwarf_tag(&scopes[k]);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    // Weft's own inline bodies are marked so: the program's line is where they were called.
    const bool ours = tag == DW_TAG_inlined_subroutine && is_artificial(&scopes[k]);
    const char* name = dwarf_diename(&scopes[k]);
    if (!ours) sources.push_back({name == nullptr ? "" : name, line});
    if (tag == DW_TAG_subprogram) break;
    line = called_from(unit, &scopes[k]);
  }
  std::free(innermost);
  std::free(scopes);
  if (sources.empty() && !line.empty()) sources.push_back({"", line});
  return sources;
}

}  // namespace

base::Result<Session> Session::of_process(pid_t pid) {
  Dwfl* dwfl = dwfl_begin(&kOfProcess);
  if (dwfl == nullptr) return base::Error::make("libdw: %s", dwfl_errmsg(-1));
  Session session(dwfl);
  dwfl_report_begin(dwfl);
  const int problem = dwfl_linux_proc_report(dwfl, pid);
  (void)dwfl_report_end(dwfl, nullptr, nullptr);
  if (problem == 0) return session;
  return base::Error::make("cannot read the memory map of process %d: %s", static_cast<int>(pid),
                           problem > 0 ? std::strerror(problem) : dwfl_errmsg(-1));
}

base::Result<Session> Session::of_file(const char* path) {
  Dwfl* dwfl = dwfl_begin(&kOfFile);
  if (dwfl == nullptr) return base::Error::make("libdw: %s", dwfl_errmsg(-1));
  Session session(dwfl);
  dwfl_report_begin(dwfl);
  const Dwfl_Module* module = dwfl_report_elf(dwfl, base_name(path), path, -1, 0, true);
  const int problem = module == nullptr ? dwfl_errno() : 0;
  (void)dwfl_report_end(dwfl, nullptr, nullptr);
  if (module != nullptr) return session;
  return base::Error::make("%.300s: %s", path, dwfl_errmsg(problem));
}

bool Session::is_in(Dwarf_Addr address, const char* path) const {
  Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
  const char* name = module == nullptr
                         ? nullptr
                         : dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  return name != nullptr && std::strstr(name, path) != nullptr;
}

std::vector<std::string> Session::describe(Dwarf_Addr address, bool returned_to) const {
  Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
  if (module == nullptr) return {"?"};
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  // A call may be a function's last instruction: what it returns to is the next function's.
  Dwarf_Addr looked_up = address - (returned_to ? 1 : 0);
  const char* name = dwfl_module_addrinfo(module, looked_up, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) {
    looked_up = address;
    name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  }
  // Without a size the symbol is only the last one before.
  if (name != nullptr && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && offset < symbol.st_size) {
    return {plus(base::demangled(name), offset)};
  }
  const bool in_function = name != nullptr && GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
  std::vector<std::string> lines;
  for (const Source& source : in_libc(address) ? std::vector<Source>{} : sources_at(module, looked_up)) {
    const std::string function = !source.function.empty() ? source.function : in_function ? base::demangled(name) : "";
    if (!source.line.empty()) lines.push_back((function.empty() ? "" : function + " at ") + source.line);
  }
  if (!lines.empty()) return lines;
  if (in_function) return {in_libc(address) ? base::demangled(name) : plus(base::demangled(name), offset)};
  Dwarf_Addr start = 0;
  const char* file = dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
  return {plus(file == nullptr ? "?" : base_name(file), address - start)};
}

}  // namespace weft::where
