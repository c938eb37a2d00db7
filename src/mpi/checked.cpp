#include "mpi/checked.hpp"

namespace weft::mpi {

void Checked::note(Wrong wrong, const char* argument, const void* value, HandleKind kind) noexcept {
  if (wrong_ != Wrong::kNothing) {
    return;
  }
  wrong_ = wrong;
  argument_ = argument;
  value_ = value;
  kind_ = kind;
}

int Checked::refuse() const noexcept {
  switch (wrong_) {
    case Wrong::kTime: return raise_not_running();
    case Wrong::kHandle: return raise_handle(on_, kind_, value_, argument_);
    case Wrong::kCount:
      return raise(on_, MPI_ERR_COUNT, "%s: %lld is negative", argument_, static_cast<long long>(number_));
    case Wrong::kNull:
    case Wrong::kNothing: break;
  }
  return raise(on_, MPI_ERR_ARG, "%s: is null", argument_);
}

}  // namespace weft::mpi
