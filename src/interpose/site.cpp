#include "interpose/site.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "interpose/library.hpp"

namespace weft::interpose {
namespace {

// Reading the debug information of a large program takes a while, and a report without lines is better than none.
constexpr std::chrono::seconds kPatience{20};

const char* file_of(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool in_weft(const void* address) noexcept {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 && std::strncmp(file_of(info.dli_fname), "libweft", 7) == 0;
}

_Unwind_Reason_Code leave_weft(_Unwind_Context* frame, void* into) {
  const auto* at = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
  if (at == nullptr || in_weft(at)) {
    return _URC_NO_REASON;
  }
  *static_cast<const void**>(into) = at;
  return _URC_END_OF_STACK;
}

_Unwind_Reason_Code leave_libraries(_Unwind_Context* frame, void* into) {
  int exact = 0;  // an interrupted instruction, and not where a call returns to
  std::uintptr_t at = _Unwind_GetIPInfo(frame, &exact);
  Dl_info info{};
  if (at == 0 || ::dladdr(reinterpret_cast<void*>(at), &info) == 0) {
    return _URC_NO_REASON;
  }
  for (const char* library : {"libweft", "libmpi_abi", "libc.so", "libc-", "ld-linux", "libpthread"}) {
    if (std::strncmp(file_of(info.dli_fname), library, std::strlen(library)) == 0) {
      return _URC_NO_REASON;
    }
  }
  *static_cast<const void**>(into) = reinterpret_cast<const void*>(at + (exact != 0 ? 1 : 0));
  return _URC_END_OF_STACK;
}

struct Image {
  std::uintptr_t base = 0;
  std::uintptr_t lo = UINTPTR_MAX;
  std::uintptr_t hi = 0;
};

int read_image(dl_phdr_info* info, std::size_t /*size*/, void* into) {
  auto* image = static_cast<Image*>(into);
  image->base = info->dlpi_addr;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    if (info->dlpi_phdr[k].p_type == PT_LOAD) {
      const std::uintptr_t lo = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
      image->lo = std::min(image->lo, lo);
      image->hi = std::max(image->hi, lo + info->dlpi_phdr[k].p_memsz);
    }
  }
  return 1;  // the executable is the first
}

const Image& executable() noexcept {
  static const Image found = [] {
    Image image;
    (void)::dl_iterate_phdr(read_image, &image);
    return image;
  }();
  return found;
}

std::string by_offset(const void* site) {
  Dl_info info{};
  char text[512];
  if (::dladdr(site, &info) == 0) {
    (void)std::snprintf(text, sizeof text, "%p", site);
  } else {
    (void)std::snprintf(
        text, sizeof text, "%.400s+0x%zx", file_of(info.dli_fname),
        static_cast<std::size_t>(static_cast<const char*>(site) - static_cast<const char*>(info.dli_fbase)));
  }
  return text;
}

// Installed at a fixed way from this library.
std::string helper() {
  Dl_info info{};
  link_map* self = nullptr;
  char folder[PATH_MAX];
  const auto* here = reinterpret_cast<const void*>(&helper);
  if (::dladdr1(here, &info, reinterpret_cast<void**>(&self), RTLD_DL_LINKMAP) == 0 ||
      ::dlinfo(self, RTLD_DI_ORIGIN, folder) != 0) {
    return {};
  }
  return std::string(folder) + "/" WEFT_LIB_TO_LIBEXEC "/weft-where";
}

// What the program writes until it ends or time is up.
std::string read_all(int from) {
  std::string text;
  char some[4096];
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd waiting{from, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) {
      return text;
    }
    const ssize_t got = ::read(from, some, sizeof some);
    if (got <= 0) {
      return text;
    }
    text.append(some, static_cast<std::size_t>(got));
  }
}

std::string run_helper(const std::string& path, const std::vector<std::string>& words) {
  int pipe_ends[2];
  if (::access(path.c_str(), X_OK) != 0 || ::pipe2(pipe_ends, O_CLOEXEC) != 0) {
    return {};
  }
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int failed = ::posix_spawn(&child, path.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  std::string text;
  if (failed == 0) {
    text = read_all(pipe_ends[0]);
    ::kill(child, SIGKILL);
    (void)::waitpid(child, nullptr, 0);
  }
  ::close(pipe_ends[0]);
  return text;
}

// The library's own notes of long waits, and its messages, name the program's lines and not the tool's.
const AtLibrary g_tell_sites([] { library().set_tool_site(interrupted_site); });

}  // namespace

const void* program_site(const void* return_address) noexcept {
  if (in_weft(return_address)) {
    _Unwind_Backtrace(leave_weft, &return_address);
  }
  return return_address;
}

const void* interrupted_site() noexcept {
  const void* site = nullptr;
  _Unwind_Backtrace(leave_libraries, &site);
  return site;
}

std::uintptr_t site_offset(const void* site) noexcept {
  const Image program = executable();
  const auto at = reinterpret_cast<std::uintptr_t>(site);
  return at >= program.lo && at < program.hi ? at - program.base : 0;
}

const void* site_at(std::uintptr_t offset) noexcept {
  return reinterpret_cast<const void*>(executable().base + offset);
}

std::vector<std::string> describe_sites(const std::vector<const void*>& sites) {
  const std::string path = helper();
  std::vector<std::string> words{path, std::to_string(::getpid())};
  for (const void* site : sites) {
    char word[24];
    (void)std::snprintf(word, sizeof word, "0x%zx", reinterpret_cast<std::uintptr_t>(site));
    words.emplace_back(word);
  }
  const std::string text = run_helper(path, words);
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    lines.push_back(text.substr(at, end - at));
  }
  for (std::size_t k = lines.size(); k < sites.size(); ++k) {
    lines.push_back(by_offset(sites[k]));
  }
  return lines;
}

std::string describe_site(const void* site) { return describe_sites({site}).front(); }

}  // namespace weft::interpose
