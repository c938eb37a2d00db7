/* One mistake, by its name: what the library says of it is the test's to know. */
#include <string.h>

#include "check.h"

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "before") == 0) {
    weft_shared_barrier();
  }
  weft_shared_init();
  const int me = weft_shared_my_pe();
  char* block = zeros(100000);
  weft_shared_lock_t* lock = zeros(sizeof *lock);
  int on_the_stack = 0;
  if (me == 0) {
    if (strcmp(what, "twice") == 0) {
      weft_shared_free(block);
      weft_shared_free(block);
    } else if (strcmp(what, "small twice") == 0) {
      void* more[2] = {weft_shared_malloc(40), weft_shared_malloc(40)};
      weft_shared_free(more[0]);
      weft_shared_free(more[0]);
    } else if (strcmp(what, "inside") == 0) {
      weft_shared_free(block + 4096);
    } else if (strcmp(what, "wild") == 0) {
      weft_shared_free(&on_the_stack);
    } else if (strcmp(what, "realloc") == 0) {
      block = weft_shared_realloc(block + 4096, 10);
    } else if (strcmp(what, "many") == 0) {
      weft_shared_request_t requests[257];
      for (int k = 0; k < 257; ++k) {
        weft_shared_lock_begin(lock, &requests[k]);
      }
    } else if (strcmp(what, "unlock") == 0) {
      weft_shared_unlock(lock);
    } else if (strcmp(what, "other's") == 0) {
      weft_shared_lock(lock);
    } else if (strcmp(what, "no lock") == 0) {
      weft_shared_lock((weft_shared_lock_t*)&on_the_stack);
    } else if (strcmp(what, "no word") == 0) {
      weft_shared_uint32_fetch_add((uint32_t*)(void*)(block + 2), 1);
    } else if (strcmp(what, "alignment") == 0) {
      weft_shared_aligned_alloc(48, 1);
    } else if (strcmp(what, "all") == 0) {
      while (weft_shared_malloc(1 << 20) != NULL) {
      }
    } else if (strcmp(what, "map") == 0) {
      weft_shared_map(block, 4096, 4096, 1, 2);
    } else if (strcmp(what, "map over") == 0) {
      weft_shared_map(block + 4096, 100000, 4096, 0, 2);
    } else if (strcmp(what, "map nothing") == 0) {
      weft_shared_free(block);
      weft_shared_map(block, 100000, 4096, 0, 2);
    } else if (strcmp(what, "piece") == 0) {
      weft_shared_map(block, 4096, 0, 0, 2);
    } else if (strcmp(what, "prefetch") == 0) {
      weft_shared_prefetch(&on_the_stack, sizeof on_the_stack);
    } else if (strcmp(what, "pair") == 0) {
      weft_shared_pair_load((weft_shared_pair_t*)(void*)(block + 8));
    } else if (strcmp(what, "protocol") == 0) {
      weft_shared_protocol(block, 1, 4);
    } else if (strcmp(what, "broadcast") == 0) {
      weft_shared_broadcast(NULL, 1);
    } else if (strcmp(what, "no request") == 0) {
      weft_shared_request_t request = {0};
      weft_shared_lock_wait(&request);
    } else if (strcmp(what, "over") == 0) {
      weft_shared_request_t request, copy;
      weft_shared_lock_begin(lock, &request);
      copy = request;
      weft_shared_lock_wait(&request);
      weft_shared_lock_test(&copy);
    } else if (strcmp(what, "left") == 0) {
      weft_shared_request_t request;
      weft_shared_lock_begin(lock, &request);
    } else if (strcmp(what, "from") == 0) {
      weft_shared_from(weft_shared_n_pes(), NULL);
    }
  }
  weft_shared_barrier();
  if (strcmp(what, "hang") == 0) {
    if (me == 0) {
      weft_shared_lock(lock);
    }
    weft_shared_barrier();
    if (me == 1 && argc > 2) {
      weft_shared_request_t request;
      weft_shared_lock_begin(lock, &request);
      weft_shared_lock_wait(&request);
    } else if (me == 1) {
      weft_shared_lock(lock);
    }
  }
  if (me == 1 && strcmp(what, "other's") == 0) {
    weft_shared_unlock(lock);
  }
  weft_shared_barrier();
  weft_shared_finalize();
  if (strcmp(what, "behind") == 0) {
    weft_shared_malloc(1);
  }
  return 0;
}
