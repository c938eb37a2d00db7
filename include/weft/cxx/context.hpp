/// Contexts (9.5), ordering and completion (9.12) of C++ programs. Programs include <weft/shmem.hpp>.
#pragma once

#include <weft/cxx/base.hpp>
#include <weft/cxx/team.hpp>

namespace shmem {

/// A context: operations that are ordered and completed apart from those of other contexts. It is destroyed with this
/// object, which completes its operations; not collective.
///
/// There may be no context to be had; the object then is false, and the program may go on with SHMEM_CTX_DEFAULT:
///
///   shmem::context own;
///   shmem::context_ref ctx = own ? shmem::context_ref{own} : SHMEM_CTX_DEFAULT;
class context {
 public:
  /// `options` are SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE and SHMEM_CTX_NOSTORE, joined with | (9.5.1).
  explicit context(long options = 0) { (void)shmem_ctx_create(options, &handle_); }
  /// Its PEs are numbered as in `of` (9.5.2). False on PEs that are not in that team.
  explicit context(const team& of, long options = 0) { (void)shmem_team_create_ctx(of.get(), options, &handle_); }
  context(context&& other) noexcept : handle_{other.release()} {}
  context& operator=(context&& other) noexcept {
    context moved{std::move(other)};
    std::swap(handle_, moved.handle_);
    return *this;
  }
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context() { shmem_ctx_destroy(handle_); }

  [[nodiscard]] WEFT_CXX shmem_ctx_t get() const noexcept { return handle_; }
  WEFT_CXX explicit operator bool() const noexcept { return handle_ != SHMEM_CTX_INVALID; }

  /// Gives the handle away undestroyed.
  [[nodiscard]] shmem_ctx_t release() noexcept { return std::exchange(handle_, SHMEM_CTX_INVALID); }

  /// The team whose numbers it uses (9.5.4); no team if it is false.
  [[nodiscard]] team of_team() const {
    shmem_team_t found = SHMEM_TEAM_INVALID;
    (void)shmem_ctx_get_team(handle_, &found);
    return found;
  }

  /// As the functions of the same names below.
  void fence() const { shmem_ctx_fence(handle_); }
  void quiet() const { shmem_ctx_quiet(handle_); }

 private:
  shmem_ctx_t handle_ = SHMEM_CTX_INVALID;
};

WEFT_CXX context_ref::context_ref(const context& owner) noexcept : handle_{owner.get()} {}

/// Orders puts, atomics, signals and stores to each PE before later ones to the same PE; waits for nothing (9.12.1).
WEFT_CXX void fence() { shmem_fence(); }
WEFT_CXX void fence(context_ref ctx) { shmem_ctx_fence(ctx.get()); }

/// Waits until all operations of the context are complete: buffers of _nbi operations may be used, and what was written
/// is visible to every PE (9.12.2).
WEFT_CXX void quiet() { shmem_quiet(); }
WEFT_CXX void quiet(context_ref ctx) { shmem_ctx_quiet(ctx.get()); }

/// quiet() for operations to the `npes` PEs listed only (9.12.3).
WEFT_CXX void pe_quiet(const int* target_pes, std::size_t npes) { shmem_pe_quiet(target_pes, npes); }
WEFT_CXX void pe_quiet(context_ref ctx, const int* target_pes, std::size_t npes) {
  shmem_ctx_pe_quiet(ctx.get(), target_pes, npes);
}

}  // namespace shmem
