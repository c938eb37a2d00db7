#include "omp/program/builds.hpp"

#include <dlfcn.h>
#include <link.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "omp/program/table.hpp"

namespace weft::omp::program {
namespace {

// By its file's name, as it may be loaded by that of the compiler's.
constexpr std::string_view kOpenMp = "libweft_omp.so";

struct Looked {
  const void* same;     // where the one of this build lies
  char path[PATH_MAX];  // of another one
};

int look_at(dl_phdr_info* object, std::size_t /*size*/, void* into) {
  Looked& looked = *static_cast<Looked*>(into);
  if (object->dlpi_name == nullptr || ::realpath(object->dlpi_name, looked.path) == nullptr) {
    return 0;
  }
  const std::string_view path = looked.path;
  return path.substr(path.rfind('/') + 1).starts_with(kOpenMp) &&
                 reinterpret_cast<const void*>(object->dlpi_addr) != looked.same
             ? 1
             : 0;
}

}  // namespace

base::Result<void> compare_builds() noexcept {
  Looked looked{};
  Dl_info about{};
  const char* other = "another build";
  if (auto* const find = reinterpret_cast<FindBuild*>(::dlsym(RTLD_DEFAULT, kFindBuild))) {
    if (std::strcmp(find(), WEFT_OMP_BUILD) != 0) {
      other = find();
    } else if (::dladdr(reinterpret_cast<const void*>(find), &about) != 0) {
      looked.same = about.dli_fbase;
    }
  }
  if (::dl_iterate_phdr(look_at, &looked) == 0) {
    return {};
  }
  const bool is_known = ::dladdr(reinterpret_cast<const void*>(&compare_builds), &about) != 0;
  return base::Error::make("the program has loaded %s, of Weft %s, and oshrun has put %s, of Weft %s, before it: %s",
                           looked.path, other, is_known ? about.dli_fname : "libweft_image.so", WEFT_OMP_BUILD,
                           kOneInstallation);
}

}  // namespace weft::omp::program
