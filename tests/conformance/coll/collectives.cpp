// Runs one collective operation in all its variations and compares every result with one computed here:
//
//   collectives broadcast|collect|fcollect|alltoall|alltoalls|reduce|scan|barrier|threads
//
// Which algorithm does the work is WEFT_COLL_...'s business: no result may depend on it. CMakeLists.txt runs each
// operation with each algorithm of api/algorithms.def.
#include "plans.hpp"

#include <cstring>

int main(int argc, char** argv) {
  const char* const operation = argc > 1 ? argv[1] : "";
  if (std::strcmp(operation, "threads") == 0) {
    check_watch();
    int provided = -1;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    check_identify();
    CHECK_EQ(provided, SHMEM_THREAD_MULTIPLE, "thread level");
  } else {
    check_begin();
  }
  const suite::Plan plan = suite::plan_of(operation);
  REQUIRE(plan != nullptr, "there is no operation '%s'", operation);
  plan();
  shmem_barrier_all();
  return check_end();
}
