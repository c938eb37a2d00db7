// A PE that has become another program by exec, after shmem_init, waits for nobody and answers nobody.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "boot/job.hpp"

namespace weft::launch::processes {

/// The file of the program that is now where the PE of this record was; nothing while it is the PE. `mark` is that of
/// the job's processes (guard.hpp). The record is not believed.
std::optional<std::string> replacement_of(const boot::PeRecord& record, std::uint64_t mark);

}  // namespace weft::launch::processes
