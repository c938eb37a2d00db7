// weft-profile DIR: puts together what the PEs of a job have recorded in DIR, prints a summary, and writes
// DIR/profile.html and DIR/profile.json. oshrun --profile runs it at the end of the job.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/hints.hpp"
#include "report/json.hpp"
#include "report/load.hpp"
#include "report/merge.hpp"
#include "report/page.hpp"
#include "report/places.hpp"
#include "report/summary.hpp"

namespace {

using namespace weft;

int complain(const base::Error& error) {
  (void)std::fprintf(stderr, "weft-profile: %s\n", error.text());
  return 1;
}

// By the folder this program lies in: an installation can be moved.
std::string helper() {
  char self[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0) return {};
  const std::string path(self, static_cast<std::size_t>(length));
  return path.substr(0, path.rfind('/') + 1) + WEFT_HELPERS + "/weft-where";
}

base::Result<void> write(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int problem = errno;
  // A full disk may show only now.
  if (file != nullptr && std::fclose(file) == 0 && written) return {};
  return base::Error::make("cannot write %.400s: %s", path.c_str(), std::strerror(written ? errno : problem));
}

struct Wishes {
  std::string folder;
  bool ended_now = false;
};

int run(const Wishes& wishes) {
  // That it cannot be noted means that there is no recording, or half of one: load says more.
  if (wishes.ended_now) (void)report::note_end(wishes.folder);
  const auto raw = report::load(wishes.folder);
  if (!raw) return complain(raw.error());
  report::Profile profile = report::merge(*raw);
  report::describe_places(profile, helper());
  report::describe_moved(*raw, profile, helper());
  const std::vector<std::string> hints = report::hints(profile);
  (void)std::fputs(report::summary(profile, hints).c_str(), stdout);
  (void)std::fflush(stdout);
  const std::string json = report::to_json(profile, hints, WEFT_VERSION);
  std::string also = "profile.json";
  auto written = write(wishes.folder + "/profile.json", json);
  if (written) written = write(wishes.folder + "/profile.html", report::to_page(json));
  if (written && !profile.events.empty()) {
    written = write(wishes.folder + "/trace.json", report::to_trace(profile));
    also += " and trace.json (ui.perfetto.dev shows it)";
  }
  if (!written) return complain(written.error());
  (void)std::printf("details: %s/profile.html, to open in a browser; %s\n", wishes.folder.c_str(), also.c_str());
  return 0;
}

int start(int argc, char** argv) {
  CLI::App parser(
      "Puts together what the PEs of a job have recorded in DIR (oshrun --profile=DIR, or WEFT_PROFILE=DIR): prints a\n"
      "summary and writes DIR/profile.html and DIR/profile.json.");
  Wishes wishes;
  parser.add_option("DIR", wishes.folder, "the folder of the recording")->required();
  parser.add_flag("--ended-now", wishes.ended_now,
                  "the job ended just now (for oshrun): PEs that were killed in a wait had waited until then");
  parser.set_version_flag("-V,--version", "weft-profile " WEFT_VERSION);
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return parser.exit(problem);
  }
  return run(wishes);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return start(argc, argv);
  } catch (const std::exception& problem) {  // no memory, most likely
    (void)std::fprintf(stderr, "weft-profile: %s\n", problem.what());
    return 1;
  }
}
