#include "launch/streams/outputs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weft::launch::streams {

base::Result<OutputFiles> make_output_folder(const std::string& name) {
  for (std::size_t at = name.find('/', 1); at != std::string::npos; at = name.find('/', at + 1)) {
    (void)::mkdir(name.substr(0, at).c_str(), 0777);  // whether it is there now the last one shows
  }
  const bool made = ::mkdir(name.c_str(), 0777) == 0 || errno == EEXIST;
  const int fd = made ? ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd < 0) {
    return base::Error::make("--output-dir %.300s: cannot make or open this folder: %s; name one you may write to",
                             name.c_str(), std::strerror(errno));
  }
  return OutputFiles{name, fd};
}

Outputs::~Outputs() {
  for (const int fd : {write[0], write[1], read[0], read[1]}) {
    if (fd >= 0) (void)::close(fd);
  }
}

bool Outputs::make_pipes() {
  for (int k = 0; k < 2; ++k) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read[k] = ends[0];
    write[k] = ends[1];
    if (::fcntl(read[k], F_SETFL, O_NONBLOCK) != 0) return false;
  }
  return true;
}

// Appending: what a PE has started writes to the same file, and a program may open it once more as /dev/stdout.
base::Result<void> Outputs::open_files(const OutputFiles& files, int pe) {
  for (int k = 0; k < 2; ++k) {
    const std::string name = "pe." + std::to_string(pe) + (k == 0 ? ".out" : ".err");
    write[k] = ::openat(files.folder_fd, name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (write[k] < 0) {
      return base::Error::make("--output-dir %.200s: cannot write to %s there: %s", files.name.c_str(), name.c_str(),
                               std::strerror(errno));
    }
  }
  return {};
}

}  // namespace weft::launch::streams
