// Where one PE writes: pipes to us, or files of its own.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weft::launch::streams {

/// The folder of --output-dir; no folder: the PEs' output is passed on.
struct OutputFiles {
  std::string name;  // as the user wrote it, for messages
  int folder_fd = -1;
};

/// Makes the folder, and those above it, unless it is there.
base::Result<OutputFiles> make_output_folder(const std::string& name);

/// stdout and stderr of a PE: the ends it writes to, and ours, which do not block. Closes what it still holds.
struct Outputs {
  int write[2] = {-1, -1};
  int read[2] = {-1, -1};

  Outputs() = default;
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;
  ~Outputs();

  bool make_pipes();  // false: errno says why not
  base::Result<void> open_files(const OutputFiles& files, int pe);
};

}  // namespace weft::launch::streams
