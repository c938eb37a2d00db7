#include "launch/command/program.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace weft::launch::command {
namespace {

// 0 when the file can be executed, else an errno.
int refusal(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return EACCES;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
}

Program cannot(const std::string& path, int exit_code, const std::string& why) {
  return {path, exit_code, path + ": " + why};
}

Program explain(const std::string& path, int error) {
  switch (error) {
    case ENOENT: return cannot(path, kNotFound, "no such file");
    case ENOTDIR: return cannot(path, kNotFound, "a part of the path is not a directory");
    case EISDIR: return cannot(path, kNotExecutable, "is a directory, not a program");
    case EACCES: return cannot(path, kNotExecutable, "is not executable; chmod +x it if it is a program");
    default: return cannot(path, kNotExecutable, std::strerror(error));
  }
}

}  // namespace

Program find_program(const char* name, const char* search, const std::string& folder) {
  const std::string_view wanted(name);
  const auto from = [&](const std::string& path) {
    return folder.empty() || path.starts_with('/') ? path : folder + "/" + path;
  };
  if (wanted.empty()) return {"", kNotFound, "the program's name is empty"};
  if (wanted.find('/') != std::string_view::npos) {
    const std::string path = from(name);
    const int error = refusal(path);
    return error == 0 ? Program{path, 0, {}} : explain(path, error);
  }
  std::string refused;  // found, but not executable: the search goes on, and this is told when nothing else turns up
  std::string_view rest(search != nullptr ? search : "/usr/local/bin:/usr/bin:/bin");
  for (bool more = true; more;) {
    const std::size_t colon = rest.find(':');
    more = colon != std::string_view::npos;
    const std::string_view directory = rest.substr(0, colon);
    rest = more ? rest.substr(colon + 1) : std::string_view();
    const std::string path = from((directory.empty() ? std::string(".") : std::string(directory)) + "/" + name);
    const int error = refusal(path);
    if (error == 0) return {path, 0, {}};
    if (error == EACCES && refused.empty()) refused = path;
  }
  if (!refused.empty()) return explain(refused, EACCES);
  std::string why = "not found in PATH";
  if (refusal(from(std::string("./") + name)) == 0) why += std::string("; did you mean ./") + name + "?";
  return cannot(name, kNotFound, why);
}

base::Result<std::string> folder_of(const std::string& work_dir) {
  if (work_dir.empty()) return work_dir;
  char whole[PATH_MAX];
  struct stat info {};
  int error = ::realpath(work_dir.c_str(), whole) == nullptr || ::stat(whole, &info) != 0 ? errno : 0;
  if (error == 0) error = !S_ISDIR(info.st_mode) ? ENOTDIR : ::access(whole, X_OK) != 0 ? errno : 0;
  if (error == 0) return std::string(whole);
  return base::Error::make("--wdir %.300s: cannot go there: %s; name a folder that exists", work_dir.c_str(),
                           std::strerror(error));
}

Program explain_refusal(const std::string& path, int error) {
  alignas(Elf64_Ehdr) char head[256] = {};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t read = fd >= 0 ? ::read(fd, head, sizeof head - 1) : -1;
  if (fd >= 0) (void)::close(fd);

  if (read > 2 && head[0] == '#' && head[1] == '!' && (error == ENOENT || error == EACCES || error == ENOTDIR)) {
    const std::size_t skip = 2 + std::strspn(head + 2, " \t");
    const std::string interpreter(head + skip, std::strcspn(head + skip, " \t\r\n"));
    return cannot(path, error == ENOENT ? kNotFound : kNotExecutable,
                  "its interpreter " + interpreter + " cannot be started: " + std::strerror(error));
  }
  const bool is_elf = read >= static_cast<ssize_t>(sizeof(Elf64_Ehdr)) && std::memcmp(head, ELFMAG, SELFMAG) == 0;
  if (is_elf && error == ENOENT) {
    return cannot(path, kNotFound, "the dynamic loader it was linked for is not on this machine");
  }
  if (error == ENOEXEC) {
    Elf64_Ehdr header;
    std::memcpy(&header, head, sizeof header);
    if (is_elf && (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine)) {
      return cannot(path, kNotExecutable, "was compiled for another kind of machine");
    }
    if (is_elf && header.e_type == ET_REL) {
      return cannot(path, kNotExecutable, "is an object file; link it with oshcc first");
    }
    return cannot(path, kNotExecutable, "is not a program this machine can run");
  }
  return explain(path, error);
}

}  // namespace weft::launch::command
