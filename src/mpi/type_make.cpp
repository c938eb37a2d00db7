#include "mpi/type_make.hpp"

namespace weft::mpi {

int check_array(MPI_Count count, const void* array, const char* argument) noexcept {
  return count > 0 && array == nullptr ? raise(nullptr, MPI_ERR_ARG, "%s: is null", argument) : MPI_SUCCESS;
}

ArrayOrder order_of(int order) noexcept {
  return {order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN,
          order == MPI_ORDER_FORTRAN ? type::Order::kFortran : type::Order::kC};
}

bool types_of(MPI_Count count, const MPI_Datatype* handles, std::vector<type::Ref>* types, int* result) noexcept {
  for (MPI_Count k = 0; k < count; ++k) {
    const auto* const found = find<Datatype>(handles[k]);
    if (found == nullptr) {
      *result = raise_handle(nullptr, HandleKind::kDatatype, handles[k], "array_of_types");
      return false;
    }
    types->push_back(found->type);
  }
  return true;
}

int type_create_resized(const Datatype& oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) noexcept {
  type::Problem problem{};
  return give_type(type::make_resized(&problem, lb, extent, oldtype.type), problem, newtype);
}

int type_create_resized_large(const Datatype& oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) noexcept {
  type::Problem problem{};
  return give_type(type::make_resized(&problem, lb, extent, oldtype.type, type::Form::kLarge), problem, newtype);
}

int make_darray(const DarrayArguments& arguments, std::vector<std::int64_t> global_sizes, type::Form form,
                const Datatype& oldtype, MPI_Datatype* newtype) noexcept {
  const auto& [size, rank, ndims, distribs, dargs, psizes, order] = arguments;
  const ArrayOrder known = order_of(order);
  if (ndims < 1 || !known.known) {
    return ndims < 1 ? raise(nullptr, MPI_ERR_ARG, "ndims: %d is not positive", ndims)
                     : raise(nullptr, MPI_ERR_ARG, "order: %d is no order of arrays", order);
  }
  int wrong = check_array(ndims, distribs, "array_of_distribs");
  wrong = wrong != MPI_SUCCESS ? wrong : check_array(ndims, dargs, "array_of_dargs");
  wrong = wrong != MPI_SUCCESS ? wrong : check_array(ndims, psizes, "array_of_psizes");
  if (wrong != MPI_SUCCESS) {
    return wrong;
  }
  std::vector<type::Deal> deals;
  std::vector<std::int64_t> chosen;
  for (int k = 0; k < ndims; ++k) {
    switch (distribs[k]) {
      case MPI_DISTRIBUTE_BLOCK: deals.push_back(type::Deal::kBlock); break;
      case MPI_DISTRIBUTE_CYCLIC: deals.push_back(type::Deal::kCyclic); break;
      case MPI_DISTRIBUTE_NONE: deals.push_back(type::Deal::kNone); break;
      default: return raise(nullptr, MPI_ERR_ARG, "array_of_distribs: %d is no distribution", distribs[k]);
    }
    if (dargs[k] < 1) {
      return raise(nullptr, MPI_ERR_ARG, "array_of_dargs: %d is not positive", dargs[k]);
    }
    chosen.push_back(dargs[k] == MPI_DISTRIBUTE_DFLT_DARG ? type::kDefaultArgument : dargs[k]);
  }
  const std::vector<std::int64_t> processes = numbers(ndims, psizes);
  type::Problem problem{};
  type::Ref made = type::make_darray(&problem, {size, rank, global_sizes, deals, chosen, processes, known.order},
                                     oldtype.type, form);
  return give_type(std::move(made), problem, newtype);
}

}  // namespace weft::mpi
