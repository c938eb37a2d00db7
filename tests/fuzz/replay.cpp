// Runs a harness without a fuzzer: on each file of a folder, and on what is nearest to it. So what was found once stays
// mended wherever the tests run, whichever compiler there is.
//
// usage: fuzz_NAME FOLDER
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz.hpp"

namespace {

// Larger inputs are run as they are: their neighbours would take as long as all others together.
constexpr std::size_t kMostVaried = 2048;

void run(const std::string& input) {
  // In memory of its own, so that AddressSanitizer sees whoever reads behind its end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  (void)LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

// Cut short at each byte, and with each byte wrong.
void run_neighbours(const std::string& input) {
  for (std::size_t at = 0; at < input.size(); ++at) {
    run(input.substr(0, at));
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string wrong = input;
      wrong[at] = static_cast<char>(wrong[at] ^ flip);
      run(wrong);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    (void)std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    (void)std::printf("%s\n", path.filename().c_str());  // the last one named is the one that failed
    (void)std::fflush(stdout);
    std::ifstream file(path, std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    run(input);
    if (input.size() <= kMostVaried) run_neighbours(input);
  }
  (void)std::printf("%zu files\n", files.size());
  return files.empty() ? 1 : 0;
}
