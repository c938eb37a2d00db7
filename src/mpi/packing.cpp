#include "mpi/packing.hpp"

#include <cstring>

#include "type/cursor.hpp"
#include "type/external.hpp"

namespace weft::mpi {
namespace {

// 0, or the call's result.
int check(Watched* on, const Packing& packing, const void* packed, MPI_Count bytes) noexcept {
  if (packing.count < 0) {
    return raise(on, MPI_ERR_COUNT, "count: %lld is negative", static_cast<long long>(packing.count));
  }
  if (!packing.datatype->type->committed()) {
    return raise(on, MPI_ERR_TYPE, "datatype: %s is not committed", text_of(*packing.datatype).c_str());
  }
  if (packing.size < 0 || packing.position < 0 || packing.position > packing.size) {
    return raise(on, MPI_ERR_ARG, "position: %lld does not lie in a buffer of %lld bytes",
                 static_cast<long long>(packing.position), static_cast<long long>(packing.size));
  }
  if (bytes > packing.size - packing.position) {
    return raise(on, MPI_ERR_TRUNCATE, "position: %lld bytes from %lld on are more than the buffer's %lld",
                 static_cast<long long>(bytes), static_cast<long long>(packing.position),
                 static_cast<long long>(packing.size));
  }
  return bytes > 0 && packed == nullptr ? raise(on, MPI_ERR_BUFFER, "the packed buffer is null") : MPI_SUCCESS;
}

bool is_external(const char* datarep, int* result) noexcept {
  if (datarep != nullptr && std::strcmp(datarep, "external32") == 0) {
    return true;
  }
  *result = raise(nullptr, datarep == nullptr ? MPI_ERR_ARG : MPI_ERR_UNSUPPORTED_DATAREP, "datarep: %s%s",
                  datarep == nullptr ? "is null" : datarep, datarep == nullptr ? "" : " is not 'external32'");
  return false;
}

std::byte* place(const void* buffer, MPI_Count position) noexcept {
  return static_cast<std::byte*>(const_cast<void*>(buffer)) + position;
}

}  // namespace

bool row_size(Watched* on, MPI_Count count, const Datatype& datatype, MPI_Count* size, int* result) noexcept {
  if (count < 0 || __builtin_mul_overflow(count, datatype.type->size(), size)) {
    *result = count < 0 ? raise(on, MPI_ERR_COUNT, "incount: %lld is negative", static_cast<long long>(count))
                        : raise(on, MPI_ERR_COUNT, "incount: the size of %lld such does not fit in 63 bits",
                                static_cast<long long>(count));
    return false;
  }
  return true;
}

bool external_size(const char* datarep, MPI_Count count, const Datatype& datatype, MPI_Count* size,
                   int* result) noexcept {
  if (!is_external(datarep, result)) {
    return false;
  }
  if (count < 0 || __builtin_mul_overflow(count, datatype.type->external(), size)) {
    *result = raise(nullptr, MPI_ERR_COUNT, "count: %lld is negative, or the size of so many does not fit",
                    static_cast<long long>(count));
    return false;
  }
  return true;
}

int pack_row(Watched* on, Packing* packing) noexcept {
  MPI_Count bytes = 0;
  int code = MPI_SUCCESS;
  if (!row_size(on, packing->count, *packing->datatype, &bytes, &code)) {
    return code;
  }
  code = check(on, *packing, packing->to, bytes);
  if (code == MPI_SUCCESS && bytes > 0) {
    const type::Cursor cursor(*packing->datatype->type, packing->count);
    cursor.pack(packing->from, 0, place(packing->to, packing->position), static_cast<std::size_t>(bytes));
    packing->position += bytes;
  }
  return code;
}

int unpack_row(Watched* on, Packing* packing) noexcept {
  MPI_Count bytes = 0;
  int code = MPI_SUCCESS;
  if (!row_size(on, packing->count, *packing->datatype, &bytes, &code)) {
    return code;
  }
  code = check(on, *packing, packing->from, bytes);
  if (code == MPI_SUCCESS && bytes > 0) {
    const type::Cursor cursor(*packing->datatype->type, packing->count);
    cursor.unpack(packing->to, 0, place(packing->from, packing->position), static_cast<std::size_t>(bytes));
    packing->position += bytes;
  }
  return code;
}

int pack_row_external(const char* datarep, Packing* packing) noexcept {
  MPI_Count bytes = 0;
  int code = MPI_SUCCESS;
  if (!external_size(datarep, packing->count, *packing->datatype, &bytes, &code)) {
    return code;
  }
  code = check(nullptr, *packing, packing->to, bytes);
  if (code == MPI_SUCCESS && bytes > 0) {
    type::pack_external(*packing->datatype->type, packing->count, packing->from, place(packing->to, packing->position));
    packing->position += bytes;
  }
  return code;
}

int unpack_row_external(const char* datarep, Packing* packing) noexcept {
  MPI_Count bytes = 0;
  int code = MPI_SUCCESS;
  if (!external_size(datarep, packing->count, *packing->datatype, &bytes, &code)) {
    return code;
  }
  code = check(nullptr, *packing, packing->from, bytes);
  if (code == MPI_SUCCESS && bytes > 0) {
    type::unpack_external(*packing->datatype->type, packing->count, packing->to,
                          place(packing->from, packing->position));
    packing->position += bytes;
  }
  return code;
}

int pack_external(const char* datarep, const void* inbuf, MPI_Count incount, const Datatype& datatype, void* outbuf,
                  MPI_Count outsize, MPI_Count* position) noexcept {
  Packing packing{inbuf, outbuf, incount, &datatype, outsize, *position};
  const int code = pack_row_external(datarep, &packing);
  *position = packing.position;
  return code;
}

int unpack_external(const char* datarep, const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                    MPI_Count outcount, const Datatype& datatype) noexcept {
  Packing packing{inbuf, outbuf, outcount, &datatype, insize, *position};
  const int code = unpack_row_external(datarep, &packing);
  *position = packing.position;
  return code;
}

int pack_external_size(const char* datarep, MPI_Count incount, const Datatype& datatype, MPI_Count* size) noexcept {
  int code = MPI_SUCCESS;
  (void)external_size(datarep, incount, datatype, size, &code);
  return code;
}

}  // namespace weft::mpi
