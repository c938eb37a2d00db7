#include "transport/ofi/regions.hpp"

#include <rdma/fi_errno.h>
#include <sys/random.h>

#include <cerrno>
#include <new>
#include <utility>

namespace weft::transport::ofi {
namespace {

using base::Error;
using base::Result;

constexpr std::uint64_t kAccess = FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE | FI_SEND | FI_RECV;
// Keys of few bytes may be those of another region by chance.
constexpr int kTries = 16;

int register_with(const Endpoint& endpoint, const Memory& memory, std::uint64_t key, Handle<fid_mr>& made) noexcept {
  int error = fi_mr_reg(endpoint.domain.get(), memory.at, memory.bytes, kAccess, 0, key, 0, made.out(), nullptr);
  if (error == 0 && endpoint.wants(FI_MR_ENDPOINT)) {
    error = fi_mr_bind(made.get(), &endpoint.ep->fid, 0);
    error = error != 0 ? error : fi_mr_enable(made.get());
  }
  return error;
}

}  // namespace

// Keys that nobody can guess, where we choose them: whoever else reaches the endpoint reaches no memory, and a key that
// was taken back is not given again.
Result<RegionKey> Regions::lend(const Endpoint& endpoint, const Memory& memory) noexcept {
  std::unique_ptr<Region> region(new (std::nothrow) Region);
  if (region == nullptr) {
    return refused("keep a region of memory", FI_ENOMEM);
  }
  const std::size_t key_bytes = endpoint.info->domain_attr->mr_key_size;
  int error = -FI_ENOKEY;
  for (int tries = 0; error == -FI_ENOKEY && tries < kTries; ++tries) {
    std::uint64_t key = 0;
    if (::getrandom(&key, sizeof key, 0) != static_cast<ssize_t>(sizeof key)) {
      return refused("get random numbers", errno);
    }
    if (key_bytes < sizeof key) {
      key &= (std::uint64_t{1} << (8 * key_bytes)) - 1;
    }
    error = register_with(endpoint, memory, key, region->registered);
  }
  if (error != 0) {
    return Error::make("%s", fi_strerror(-error));
  }
  region->memory = memory;
  region->key.key = fi_mr_key(region->registered.get());
  region->key.base = endpoint.wants(FI_MR_VIRT_ADDR) ? reinterpret_cast<std::uintptr_t>(memory.at) : 0;
  if (region->key.key == FI_KEY_NOTAVAIL) {
    return Error::make("its keys of memory have %zu bytes; Weft has room for %zu", key_bytes, sizeof(std::uint64_t));
  }
  const std::scoped_lock lock(mutex_);
  region->next = first_;
  first_ = region.get();
  return region.release()->key;
}

void Regions::take_back(const RegionKey& key) noexcept {
  const std::scoped_lock lock(mutex_);
  Region** at = &first_;
  while (*at != nullptr && (*at)->key != key) {
    at = &(*at)->next;
  }
  if (Region* region = *at; region != nullptr) {
    *at = region->next;
    delete region;
  }
}

void Regions::take_back_all() noexcept {
  const std::scoped_lock lock(mutex_);
  while (first_ != nullptr) {
    delete std::exchange(first_, first_->next);
  }
}

void* Regions::descriptor(const void* at, std::size_t bytes) const noexcept {
  const std::scoped_lock lock(mutex_);
  for (const Region* region = first_; region != nullptr; region = region->next) {
    if (lies_in(region->memory, at, bytes)) {
      return fi_mr_desc(region->registered.get());
    }
  }
  return nullptr;
}

}  // namespace weft::transport::ofi
