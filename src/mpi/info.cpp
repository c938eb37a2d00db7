#include "mpi/info.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>
#include <new>

#include "job/node.hpp"
#include "mpi/errors.hpp"

namespace weft::mpi {
namespace {

// Never destroyed: programs may ask while they exit.
Info* g_env = nullptr;

bool good_key(const char* key) noexcept { return *key != '\0' && std::strlen(key) < MPI_MAX_INFO_KEY; }

int raise_key(const char* key) noexcept {
  return *key == '\0' ? raise(nullptr, MPI_ERR_INFO_KEY, "key: is empty")
                      : raise(nullptr, MPI_ERR_INFO_KEY, "key: has %zu characters, and %d are the most",
                              std::strlen(key), MPI_MAX_INFO_KEY - 1);
}

int raise_read_only() noexcept {
  return raise(nullptr, MPI_ERR_INFO, "info: is MPI_INFO_ENV, which nobody may change");
}

// As much of a text as there is room for, and a null.
void copy(char* to, const std::string& from, std::size_t room) noexcept {
  const std::size_t length = std::min(from.size(), room - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

// The program's command line, its arguments parted by nulls.
std::string command_line() noexcept {
  std::string text;
  std::FILE* const file = std::fopen("/proc/self/cmdline", "re");
  if (file == nullptr) {
    return text;
  }
  char piece[1024];
  for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, file)) > 0;) {
    text.append(piece, got);
  }
  (void)std::fclose(file);
  if (!text.empty() && text.back() == '\0') {
    text.pop_back();
  }
  return text;
}

void set_cut(Info& info, const char* key, const std::string& value) noexcept {
  info.set(key, value.substr(0, MPI_MAX_INFO_VAL - 1).c_str());
}

}  // namespace

const std::string* Info::get(const char* key) const noexcept {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [key](const Pair& pair) { return pair.key == key; });
  return found == pairs.end() ? nullptr : &found->value;
}

void Info::set(const char* key, const char* value) noexcept {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [key](const Pair& pair) { return pair.key == key; });
  if (found == pairs.end()) {
    pairs.push_back({key, value});
  } else {
    found->value = value;
  }
}

std::uint64_t alignment_in(const std::string* value) noexcept {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  std::uint64_t bytes = 0;
  if (value == nullptr) {
    return 0;
  }
  const char* const end = value->data() + value->size();
  const auto [behind, error] = std::from_chars(value->data(), end, bytes);
  return error == std::errc() && behind == end && std::has_single_bit(bytes) && bytes <= kMost ? bytes : 0;
}

int give_info(Info* made, MPI_Info* info) noexcept {
  if (made == nullptr) {
    return raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for an info object");
  }
  return publish(made, info) ? MPI_SUCCESS : raise(nullptr, MPI_ERR_NO_MEM, "there are too many info objects");
}

Info& info_env() noexcept { return *g_env; }

void set_up_info() noexcept {
  g_env = new Info;
  g_env->number = number_of(MPI_INFO_ENV);
  set_predefined(HandleKind::kInfo, g_env->number, g_env);
}

void describe_start(Info& info, int argc, char** argv, const char* thread_level) noexcept {
  std::string command;
  std::string arguments;
  const auto add = [&arguments](const char* argument) {
    arguments += arguments.empty() ? "" : " ";
    arguments += argument;
  };
  if (argv != nullptr) {
    for (int k = 0; k < argc && argv[k] != nullptr; ++k) {
      k == 0 ? (void)(command = argv[0]) : add(argv[k]);
    }
  } else {
    const std::string line = command_line();
    command = line.c_str();
    for (std::size_t at = command.size(); at < line.size(); at += std::strlen(line.c_str() + at)) {
      add(line.c_str() + ++at);
    }
  }
  set_cut(info, "command", command);
  if (!arguments.empty()) {
    set_cut(info, "argv", arguments);
  }
  set_cut(info, "maxprocs", std::to_string(job::node().n_pes));
  char folder[PATH_MAX];
  if (::getcwd(folder, sizeof folder) != nullptr) {
    set_cut(info, "wdir", folder);
  }
  if (thread_level != nullptr) {
    info.set("thread_level", thread_level);
  }
}

int info_create(MPI_Info* info) noexcept { return give_info(new (std::nothrow) Info, info); }

int info_create_env(int argc, char** argv, MPI_Info* info) noexcept {
  auto* const made = new (std::nothrow) Info;
  if (made != nullptr) {
    describe_start(*made, argc, argv, nullptr);
  }
  return give_info(made, info);
}

int info_delete(Info& info, const char* key) noexcept {
  if (is_predefined(info.number)) {
    return raise_read_only();
  }
  if (!good_key(key)) {
    return raise_key(key);
  }
  if (std::erase_if(info.pairs, [key](const Info::Pair& pair) { return pair.key == key; }) == 0) {
    return raise(nullptr, MPI_ERR_INFO_NOKEY, "key: there is no '%s' in it", key);
  }
  return MPI_SUCCESS;
}

int info_dup(const Info& info, MPI_Info* newinfo) noexcept {
  auto* const made = new (std::nothrow) Info;
  if (made != nullptr) {
    made->pairs = info.pairs;
  }
  return give_info(made, newinfo);
}

int info_free(MPI_Info* info) noexcept {
  auto* const found = find<Info>(*info);
  if (found == nullptr) {
    return raise_handle(nullptr, HandleKind::kInfo, *info, "info");
  }
  if (is_predefined(found->number)) {
    return raise_read_only();
  }
  retire(*found, info);
  return MPI_SUCCESS;
}

int info_get(const Info& info, const char* key, int valuelen, char* value, int* flag) noexcept {
  if (!good_key(key)) {
    return raise_key(key);
  }
  if (valuelen < 0) {
    return raise(nullptr, MPI_ERR_ARG, "valuelen: %d is negative", valuelen);
  }
  const std::string* const found = info.get(key);
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) {
    copy(value, *found, static_cast<std::size_t>(valuelen) + 1);
  }
  return MPI_SUCCESS;
}

int info_get_nkeys(const Info& info, int* nkeys) noexcept {
  *nkeys = static_cast<int>(info.pairs.size());
  return MPI_SUCCESS;
}

int info_get_nthkey(const Info& info, int n, char* key) noexcept {
  if (n < 0 || static_cast<std::size_t>(n) >= info.pairs.size()) {
    return raise(nullptr, MPI_ERR_ARG, "n: %d is none of its %zu keys", n, info.pairs.size());
  }
  copy(key, info.pairs[static_cast<std::size_t>(n)].key, MPI_MAX_INFO_KEY);
  return MPI_SUCCESS;
}

int info_get_string(const Info& info, const char* key, int* buflen, char* value, int* flag) noexcept {
  if (!good_key(key)) {
    return raise_key(key);
  }
  if (*buflen < 0) {
    return raise(nullptr, MPI_ERR_ARG, "buflen: %d is negative", *buflen);
  }
  const std::string* const found = info.get(key);
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) {
    if (*buflen > 0) {
      if (value == nullptr) {
        return raise(nullptr, MPI_ERR_ARG, "value: is null");
      }
      copy(value, *found, static_cast<std::size_t>(*buflen));
    }
    *buflen = static_cast<int>(found->size()) + 1;
  }
  return MPI_SUCCESS;
}

int info_get_valuelen(const Info& info, const char* key, int* valuelen, int* flag) noexcept {
  if (!good_key(key)) {
    return raise_key(key);
  }
  const std::string* const found = info.get(key);
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) {
    *valuelen = static_cast<int>(found->size());
  }
  return MPI_SUCCESS;
}

int info_set(Info& info, const char* key, const char* value) noexcept {
  if (is_predefined(info.number)) {
    return raise_read_only();
  }
  if (!good_key(key)) {
    return raise_key(key);
  }
  if (std::strlen(value) >= MPI_MAX_INFO_VAL) {
    return raise(nullptr, MPI_ERR_INFO_VALUE, "value: has %zu characters, and %d are the most", std::strlen(value),
                 MPI_MAX_INFO_VAL - 1);
  }
  info.set(key, value);
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
