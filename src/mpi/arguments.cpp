#include "mpi/arguments.hpp"

namespace weft::mpi {

int check_root(Comm& comm, int root) noexcept {
  if (root >= 0 && root < comm.peers().size) {
    return MPI_SUCCESS;
  }
  if (comm.inter && (root == MPI_ROOT || root == MPI_PROC_NULL)) {
    return MPI_SUCCESS;
  }
  return raise(&comm, MPI_ERR_ROOT, "root: %d is none of the %d ranks", root, comm.peers().size);
}

int check_type(Comm& comm, const Names& names, MPI_Datatype handle, const Datatype** found) noexcept {
  *found = find<Datatype>(handle);
  if (*found == nullptr) {
    return raise_handle(&comm, HandleKind::kDatatype, handle, names.type);
  }
  if (!(*found)->type->committed()) {
    return raise(&comm, MPI_ERR_TYPE, "%s: %s is not committed", names.type, text_of(**found).c_str());
  }
  return MPI_SUCCESS;
}

int check_buffer(Comm& comm, const Names& names, const Buffer& buffer) noexcept {
  if (buffer.count < 0) {
    return raise(&comm, MPI_ERR_COUNT, "%s: %lld is negative", names.count, static_cast<long long>(buffer.count));
  }
  if (!type::Cursor::fits(*buffer.type->type, buffer.count)) {
    return raise(&comm, MPI_ERR_COUNT, "%s: the size of %lld such does not fit in 63 bits", names.count,
                 static_cast<long long>(buffer.count));
  }
  if (is_in_place(buffer.at)) {
    return raise(&comm, MPI_ERR_BUFFER, "%s: is MPI_IN_PLACE, which it may not be here", names.buffer);
  }
  // Datatypes with absolute addresses are for MPI_BOTTOM, which is null.
  if (buffer.at == nullptr && buffer.bytes() > 0 && buffer.type->type->bounds().true_lb == 0) {
    return raise(&comm, MPI_ERR_BUFFER, "%s: is null", names.buffer);
  }
  return MPI_SUCCESS;
}

int take_buffer(Comm& comm, const Names& names, const void* at, MPI_Count count, MPI_Datatype handle,
                Buffer* taken) noexcept {
  *taken = {const_cast<void*>(at), count, nullptr};
  const int code = check_type(comm, names, handle, &taken->type);
  return code == MPI_SUCCESS ? check_buffer(comm, names, *taken) : code;
}

int check_array(Comm& comm, const char* name, const void* array) noexcept {
  return array != nullptr ? MPI_SUCCESS : raise(&comm, MPI_ERR_ARG, "%s: is null", name);
}

int check_apart(Comm& comm, const Buffer& sent, const Buffer& received) noexcept {
  // MPI_BOTTOM is no buffer of its own, and of one place two datatypes may mean different parts.
  if (sent.at != nullptr && sent.at == received.at && sent.bytes() > 0 && received.bytes() > 0 &&
      sent.type->type->bounds().true_lb == received.type->type->bounds().true_lb) {
    return raise(&comm, MPI_ERR_BUFFER, "recvbuf: is sendbuf; MPI_IN_PLACE says what may be meant");
  }
  return MPI_SUCCESS;
}

int spread(Comm& comm, const Names& names, const Listed& listed, const Datatype& type, Parts* parts) noexcept {
  if (listed.counts.is_null() || listed.displs.is_null()) {
    return check_array(comm, listed.counts.is_null() ? listed.counts_name : listed.displs_name, nullptr);
  }
  const Buffer whole{const_cast<void*>(listed.at), 0, &type};
  const Names each{names.buffer, listed.counts_name, names.type};
  for (int k = 0; k < comm.peers().size; ++k) {
    const Buffer part{whole.at, listed.counts[k], &type};
    if (const int code = check_buffer(comm, each, part); code != MPI_SUCCESS) {
      return code;
    }
    (*parts)[comm.first_peer + k] = whole.part(listed.displs[k], listed.counts[k]);
  }
  return MPI_SUCCESS;
}

int spread(Comm& comm, const Typed& typed, Parts* parts) noexcept {
  if (typed.counts.is_null() || typed.displs.is_null() || typed.types == nullptr) {
    return raise(&comm, MPI_ERR_ARG, "%s: counts, displacements or types are null",
                 typed.sends ? "sendbuf" : "recvbuf");
  }
  const Names names =
      typed.sends ? Names{"sendbuf", "sendcounts", "sendtypes"} : Names{"recvbuf", "recvcounts", "recvtypes"};
  for (int k = 0; k < comm.peers().size; ++k) {
    Buffer part;
    const int code = take_buffer(comm, names, typed.at, typed.counts[k], typed.types[k], &part);
    if (code != MPI_SUCCESS) {
      return code;
    }
    part.at = Buffer::moved(part.at, typed.displs[k]);
    (*parts)[comm.first_peer + k] = part;
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
