#include "mpi/memory.hpp"

#include <algorithm>
#include <array>

namespace weft::mpi {
namespace {

// A piece costs the kernel about as much as copying this twice: below it, a list is no gain.
constexpr std::uint64_t kLeastPiece = 512;
constexpr std::size_t kPieces = 64;

}  // namespace

void Scattered::pack(const void* at, std::uint64_t position, void* into, std::size_t bytes) const noexcept {
  cursor_.pack(at, position, into, bytes);
}

void Scattered::unpack(void* at, std::uint64_t position, const void* from, std::size_t bytes) const noexcept {
  cursor_.unpack(at, position, from, bytes);
}

std::size_t Scattered::list(void* at, std::uint64_t position, std::uint64_t bytes, msg::Stretch* into,
                            std::size_t most) const noexcept {
  std::array<type::Piece, kPieces> pieces{};
  const std::size_t found = cursor_.list(at, position, bytes, pieces.data(), std::min(most, kPieces));
  std::uint64_t listed = 0;
  for (std::size_t k = 0; k < found; ++k) {
    into[k] = {pieces[k].at, pieces[k].bytes};
    listed += pieces[k].bytes;
  }
  return listed >= found * kLeastPiece ? found : 0;
}

int check_any_memory(Watched& on, const Memory& memory) noexcept {
  const type::Datatype& type = *memory.datatype.type;
  if (!type.committed()) [[unlikely]] {
    return raise(&on, MPI_ERR_TYPE, "datatype: %s is not committed", text_of(memory.datatype).c_str());
  }
  if (!type::Cursor::fits(type, memory.count)) [[unlikely]] {
    return raise(&on, MPI_ERR_COUNT, "count: %lld of such do not fit in the address space",
                 static_cast<long long>(memory.count));
  }
  const type::Cursor cursor(type, memory.count);
  // Datatypes with absolute addresses are for MPI_BOTTOM, which is null.
  if (memory.at == nullptr && cursor.bytes() > 0 && type.bounds().true_lb == 0) [[unlikely]] {
    return raise(&on, MPI_ERR_BUFFER, "buf: is null, and the message is to have %llu bytes",
                 static_cast<unsigned long long>(cursor.bytes()));
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
