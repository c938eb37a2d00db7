#include "mpi/ops.hpp"

#include <algorithm>
#include <climits>
#include <new>

#include "mpi/calls.hpp"
#include "mpi/errors.hpp"

namespace weft::mpi {
namespace {

const MPI_Op kPredefined[] = {MPI_SUM,  MPI_MIN, MPI_MAX,  MPI_PROD,   MPI_BAND,   MPI_BOR,     MPI_BXOR,
                              MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};

Op* g_all = nullptr;

int give(Op* made, MPI_Op* op) noexcept {
  if (made == nullptr) {
    return raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for an operation");
  }
  return publish(made, op) ? MPI_SUCCESS : raise(nullptr, MPI_ERR_NO_MEM, "there are too many operations");
}

// Functions of the program's may take an int as the count: more go in pieces.
void call_own(const Op& op, const void* with, void* into, MPI_Count count, const Datatype& datatype) noexcept {
  const CallKept kept;
  MPI_Datatype type = handle_of(datatype);
  auto* from = static_cast<std::byte*>(const_cast<void*>(with));
  auto* to = static_cast<std::byte*>(into);
  if (op.large_function != nullptr) {
    op.large_function(from, to, &count, &type);
    return;
  }
  while (count > 0) {
    int piece = static_cast<int>(std::min<MPI_Count>(count, INT_MAX));
    op.function(from, to, &piece, &type);
    from += static_cast<std::ptrdiff_t>(piece) * datatype.type->extent();
    to += static_cast<std::ptrdiff_t>(piece) * datatype.type->extent();
    count -= piece;
  }
}

}  // namespace

int combine(const Op& op, const void* with, void* into, MPI_Count count, const Datatype& datatype) noexcept {
  if (op.function != nullptr || op.large_function != nullptr) {
    call_own(op, with, into, count, datatype);
    return MPI_SUCCESS;
  }
  const Kernel kernel = kernel_of(op, datatype);
  if (kernel == nullptr) {
    return MPI_ERR_OP;
  }
  kernel(with, into, static_cast<std::size_t>(count));
  return MPI_SUCCESS;
}

void set_up_ops() noexcept {
  g_all = new Op[std::size(kPredefined)];
  for (std::size_t k = 0; k < std::size(kPredefined); ++k) {
    g_all[k].number = number_of(kPredefined[k]);
    g_all[k].commutes = kPredefined[k] != MPI_REPLACE;
    set_predefined(HandleKind::kOp, g_all[k].number, g_all + k);
  }
}

int op_commutative(const Op& op, int* commute) noexcept {
  *commute = op.commutes ? 1 : 0;
  return MPI_SUCCESS;
}

int op_create(MPI_User_function* function, int commute, MPI_Op* op) noexcept {
  if (function == nullptr) {
    return raise(nullptr, MPI_ERR_ARG, "user_fn: is null");
  }
  auto* const made = new (std::nothrow) Op;
  if (made != nullptr) {
    made->commutes = commute != 0;
    made->function = function;
  }
  return give(made, op);
}

int op_create(MPI_User_function_c* function, int commute, MPI_Op* op) noexcept {
  if (function == nullptr) {
    return raise(nullptr, MPI_ERR_ARG, "user_fn: is null");
  }
  auto* const made = new (std::nothrow) Op;
  if (made != nullptr) {
    made->commutes = commute != 0;
    made->large_function = function;
  }
  return give(made, op);
}

int op_free(MPI_Op* op) noexcept {
  auto* const found = find<Op>(*op);
  if (found == nullptr) {
    return raise_handle(nullptr, HandleKind::kOp, *op, "op");
  }
  if (is_predefined(found->number)) {
    return raise(nullptr, MPI_ERR_OP, "op: %s is predefined, and nobody may free it",
                 name_of_predefined(found->number));
  }
  retire(*found, op);
  return MPI_SUCCESS;
}

int reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, const Datatype& datatype, const Op& op) noexcept {
  if (count == 0) {
    return MPI_SUCCESS;
  }
  if (!datatype.type->committed()) {
    return raise(nullptr, MPI_ERR_TYPE, "datatype: %s is not committed", text_of(datatype).c_str());
  }
  for (const void* buffer : {inbuf, static_cast<const void*>(inoutbuf)}) {
    if (buffer == nullptr || buffer == MPI_IN_PLACE) {
      return raise(nullptr, MPI_ERR_BUFFER, "%s: is %s", buffer == inbuf ? "inbuf" : "inoutbuf",
                   buffer == nullptr ? "null" : "MPI_IN_PLACE");
    }
  }
  if (inbuf == inoutbuf) {
    return raise(nullptr, MPI_ERR_BUFFER, "inoutbuf: is inbuf");
  }
  if (combine(op, inbuf, inoutbuf, count, datatype) != MPI_SUCCESS) {
    return raise(nullptr, MPI_ERR_OP, "op: %s has no meaning for %s", name_of_predefined(op.number),
                 text_of(datatype).c_str());
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
