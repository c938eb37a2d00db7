#include "pmi/pmix.hpp"

#include <dlfcn.h>
#include <pmix.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "os/clock.hpp"
#include "os/futex.hpp"

namespace weft::pmi {
namespace {

// The interface of PMIx 3 and later. By its own name and not by a link: libpmix brings a dozen libraries with it.
constexpr const char* kLibrary = "libpmix.so.2";

struct Functions {
  decltype(&::PMIx_Init) init = nullptr;
  decltype(&::PMIx_Finalize) finalize = nullptr;
  decltype(&::PMIx_Abort) abort = nullptr;
  decltype(&::PMIx_Put) put = nullptr;
  decltype(&::PMIx_Commit) commit = nullptr;
  decltype(&::PMIx_Fence_nb) fence = nullptr;
  decltype(&::PMIx_Get) get = nullptr;
  decltype(&::PMIx_Error_string) text = nullptr;
};

base::Result<Functions> load() noexcept {
  // It stays: its threads run until the process ends.
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return base::Error::make(
        "cannot load PMIx (%s), which this program was started through; install it (libpmix2 in Debian) or name its "
        "folder "
        "in LD_LIBRARY_PATH",
        ::dlerror());
  }
  Functions functions;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    return function != nullptr;
  };
  if (!find(functions.init, "PMIx_Init") || !find(functions.finalize, "PMIx_Finalize") ||
      !find(functions.abort, "PMIx_Abort") || !find(functions.put, "PMIx_Put") ||
      !find(functions.commit, "PMIx_Commit") || !find(functions.fence, "PMIx_Fence_nb") ||
      !find(functions.get, "PMIx_Get") || !find(functions.text, "PMIx_Error_string")) {
    return base::Error::make("%s is no PMIx library that Weft knows: %s", kLibrary, ::dlerror());
  }
  return functions;
}

class Pmix final : public Manager {
 public:
  base::Result<void> open() noexcept {
    const auto loaded = load();
    if (!loaded) {
      return loaded.error();
    }
    call_ = *loaded;
    if (const pmix_status_t status = call_.init(&self_, nullptr, 0); status != PMIX_SUCCESS) {
      return base::Error::make("the PMIx server that the environment names does not answer (PMIx_Init: %s)",
                               call_.text(status));
    }
    pmix_proc_t job = self_;
    job.rank = PMIX_RANK_WILDCARD;
    pmix_value_t* value = nullptr;
    const pmix_status_t status = call_.get(&job, PMIX_JOB_SIZE, nullptr, 0, &value);
    if (status != PMIX_SUCCESS || value == nullptr || value->type != PMIX_UINT32) {
      return base::Error::make("PMIx does not tell the number of processes (PMIx_Get: %s)", call_.text(status));
    }
    const std::uint32_t size = value->data.uint32;
    std::free(value);
    const auto fits = check_place(self_.rank, size);
    rank_ = fits ? static_cast<int>(self_.rank) : -1;
    size_ = fits ? static_cast<int>(size) : 0;
    return fits;
  }

  const char* name() const noexcept override { return "PMIx"; }
  const char* job_name() const noexcept override { return self_.nspace; }

  base::Result<void> put(const char* key, std::span<const std::byte> bytes) noexcept override {
    char name[PMIX_MAX_KEYLEN];
    (void)std::snprintf(name, sizeof name, "weft-%s", key);
    pmix_value_t value{};
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    value.data.bo.size = bytes.size();
    return check(call_.put(PMIX_GLOBAL, name, &value), "PMIx_Put");
  }

  base::Result<void> fence() noexcept override {
    if (const auto begun = begin_fence(); !begun) {
      return begun;
    }
    bool told = false;
    // Acquire: the status is set when the word is.
    while (fenced_.load(std::memory_order_acquire) == 0) {
      os::futex_wait(fenced_, 0, kLongFenceSeconds * std::uint64_t{1'000'000'000});
      if (!told && fenced_.load(std::memory_order_acquire) == 0) {
        tell_of_long_fence(*this);
        told = true;
      }
    }
    return check(fence_status_, "PMIx_Fence");
  }

  bool fence_within(int milliseconds) noexcept override {
    if (!begin_fence()) {
      return false;
    }
    const std::uint64_t end = os::now_ns() + static_cast<std::uint64_t>(milliseconds) * 1'000'000;
    std::uint64_t now = 0;
    while (fenced_.load(std::memory_order_acquire) == 0 && (now = os::now_ns()) < end) {
      os::futex_wait(fenced_, 0, end - now);
    }
    return fenced_.load(std::memory_order_acquire) != 0 && fence_status_ == PMIX_SUCCESS;
  }

  base::Result<void> get(int pe, const char* key, std::span<std::byte> bytes) noexcept override {
    char name[PMIX_MAX_KEYLEN];
    (void)std::snprintf(name, sizeof name, "weft-%s", key);
    pmix_proc_t of = self_;
    of.rank = static_cast<pmix_rank_t>(pe);
    pmix_value_t* value = nullptr;
    if (const pmix_status_t status = call_.get(&of, name, nullptr, 0, &value);
        status != PMIX_SUCCESS || value == nullptr) {
      return base::Error::make("PMIx does not give what PE %d has put (PMIx_Get: %s)", pe, call_.text(status));
    }
    const bool whole = value->type == PMIX_BYTE_OBJECT && value->data.bo.size == bytes.size();
    if (whole) {
      std::memcpy(bytes.data(), value->data.bo.bytes, bytes.size());
    }
    if (value->type == PMIX_BYTE_OBJECT) {
      std::free(value->data.bo.bytes);
    }
    std::free(value);
    if (!whole) {
      return base::Error::make("what PE %d gave to PMIx came back damaged; do all PEs run the same Weft?", pe);
    }
    return {};
  }

  void abort(int status, const char* message) noexcept override { (void)call_.abort(status, message, nullptr, 0); }
  void finalize() noexcept override { (void)call_.finalize(nullptr, 0); }

 private:
  // fenced_ is 1 when all have come. Not the call that blocks: it could not tell of a PE that never comes. And with
  // data even where there is none: Slurm lets a fence without pass at once.
  base::Result<void> begin_fence() noexcept {
    if (const auto committed = check(call_.commit(), "PMIx_Commit"); !committed) {
      return committed;
    }
    pmix_info_t collect{};
    (void)std::snprintf(collect.key, sizeof collect.key, "%s", PMIX_COLLECT_DATA);
    collect.value.type = PMIX_BOOL;
    collect.value.data.flag = true;
    fenced_.store(0, std::memory_order_relaxed);
    const pmix_status_t begun = call_.fence(nullptr, 0, &collect, 1, on_fence, this);
    if (begun == PMIX_OPERATION_SUCCEEDED) {
      on_fence(PMIX_SUCCESS, this);
      return {};
    }
    return check(begun, "PMIx_Fence");
  }

  base::Result<void> check(pmix_status_t status, const char* what) const noexcept {
    if (status == PMIX_SUCCESS) {
      return {};
    }
    return base::Error::make("PMIx could not do its part (%s: %s); another PE may have ended", what,
                             call_.text(status));
  }

  static void on_fence(pmix_status_t status, void* self) noexcept {
    auto* pmix = static_cast<Pmix*>(self);
    pmix->fence_status_ = status;
    pmix->fenced_.store(1, std::memory_order_release);
    os::futex_wake_all(pmix->fenced_);
  }

  Functions call_;
  pmix_proc_t self_{};
  std::atomic<std::uint32_t> fenced_ = 0;
  pmix_status_t fence_status_ = PMIX_SUCCESS;
};

constinit Pmix g_pmix;

}  // namespace

base::Result<Manager*> open_pmix() noexcept {
  const auto opened = g_pmix.open();
  return opened ? base::Result<Manager*>(&g_pmix) : opened.error();
}

base::Result<void> try_pmix() noexcept {
  const auto loaded = load();
  return loaded ? base::Result<void>() : loaded.error();
}

}  // namespace weft::pmi
