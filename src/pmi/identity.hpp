// What a PE tells all others of itself before anybody knows who shares a node with whom.
#pragma once

#include <cstdint>

#include "base/options.hpp"
#include "base/result.hpp"
#include "pmi/evidence.hpp"

namespace weft::pmi {

/// What makes the heap as large as it is.
struct HeapWish {
  std::uint64_t asked = 0;         // as the option says
  std::uint64_t memory_bytes = 0;  // of this PE's machine or container
  std::uint8_t given = 0;          // the user has set it
  std::uint8_t overcommit = 0;
  std::uint8_t pages = 0;  // base::HugePages
  std::uint8_t is_container = 0;
  std::uint32_t named = 0;  // not of the heap, but there is room: the PE has its name and can look at others'
};

struct Identity {
  std::uint32_t layout = 0;     // boot::kJobLayout: all PEs must be of one Weft
  std::uint32_t cpu_quota = 0;  // processors' worth of time; 0: no limit
  std::uint8_t boot_id[16] = {};
  std::uint64_t pid_space = 0;  // the process numbers below mean something only to who has the same
  FileOf token_file;
  Token token;
  FileOf statics_file;
  std::uint64_t job_key[2] = {};  // PE 0's becomes the job's
  HeapWish heap;
  std::uint8_t cpus[128] = {};  // a bit for each processor that it may run on
  char host[64] = "";           // for messages
};

base::Result<Identity> describe_self(const base::Options& options, int token_fd, const Token& token,
                                     int statics_fd) noexcept;

/// Empty when these two fit into one job; else what to do. `pe` is whose `other` is.
base::Result<void> agree(const Identity& own, const Identity& other, int pe) noexcept;

/// Whether the two may share memory, so that it is worth to look for evidence. Not where one has no name: others may
/// have taken it, and it would not find who finds it.
bool may_share(const Identity& one, const Identity& other) noexcept;

}  // namespace weft::pmi
