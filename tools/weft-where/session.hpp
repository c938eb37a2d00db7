// A program, running or as a file, as libdw sees it.
#pragma once

#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft::where {

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&& other) noexcept : dwfl_(other.dwfl_) { other.dwfl_ = nullptr; }
  Session& operator=(Session&&) = delete;
  ~Session() { dwfl_end(dwfl_); }

  /// Addresses are those of the process, with everything it has loaded.
  static base::Result<Session> of_process(pid_t pid);
  /// Addresses are those that the file was linked for.
  static base::Result<Session> of_file(const char* path);

  /// "solve at solver.c:88" for an instruction, and the same for the calls that it was inlined into, innermost first;
  /// "flag" or "table+0x10" for a variable, "name+0x1f0" of the function or file where nothing more is known, "?"
  /// outside of everything. An address that a call returns to stands for the call.
  std::vector<std::string> describe(Dwarf_Addr address, bool returned_to) const;

  /// The C library has more debug information than most programs, and nobody looks for a mistake there: of it only
  /// names of functions are told.
  bool in_libc(Dwarf_Addr address) const { return is_in(address, "/libc.so"); }
  /// In a file whose path holds this.
  bool is_in(Dwarf_Addr address, const char* path) const;

  Dwfl* get() const { return dwfl_; }

 private:
  explicit Session(Dwfl* dwfl) : dwfl_(dwfl) {}

  Dwfl* dwfl_ = nullptr;
};

}  // namespace weft::where
