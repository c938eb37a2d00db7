// The memory that a call names by address, count and datatype, as messages carry it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "mpi/datatypes.hpp"
#include "mpi/errors.hpp"
#include "msg/data.hpp"
#include "type/cursor.hpp"

namespace weft::mpi {

struct Memory {
  const void* at;
  MPI_Count count;
  const Datatype& datatype;
};

/// Data that does not lie in one piece. The datatype is kept by whoever has the row.
class Scattered final : public msg::Layout {
 public:
  Scattered(const type::Datatype& type, std::int64_t count) noexcept : cursor_(type, count) {}
  void pack(const void* at, std::uint64_t position, void* into, std::size_t bytes) const noexcept override;
  void unpack(void* at, std::uint64_t position, const void* from, std::size_t bytes) const noexcept override;
  std::size_t list(void* at, std::uint64_t position, std::uint64_t bytes, msg::Stretch* into,
                   std::size_t most) const noexcept override;

 private:
  type::Cursor cursor_;
};

/// MPI_SUCCESS, or the call's result: the datatype is not committed, the count does not fit, the address is null.
int check_any_memory(Watched& on, const Memory& memory) noexcept;
inline int check_memory(Watched& on, const Memory& memory) noexcept {
  // The commonest: predefined datatypes are committed, and none is so large that an int of them does not fit.
  if (memory.at != nullptr && memory.count <= INT32_MAX && is_predefined(memory.datatype.number)) [[likely]] {
    return MPI_SUCCESS;
  }
  return check_any_memory(on, memory);
}

/// Of memory that was checked. The row is made where it takes one, and stays as long as the data.
inline msg::Data data_of(const Memory& memory, std::optional<Scattered>& row) noexcept {
  const type::Cursor cursor(*memory.datatype.type, memory.count);
  if (cursor.in_one_piece()) [[likely]] {
    return msg::Data::of(cursor.first(memory.at), cursor.bytes());
  }
  row.emplace(*memory.datatype.type, memory.count);
  return {const_cast<void*>(memory.at), cursor.bytes(), &*row};
}

}  // namespace weft::mpi
