/* A table that all PEs look up and change at once: words and how often each occurred. Each list of the table has a lock
 * of its own, entries are got by whoever needs one, and pointers mean the same on all PEs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/shared.h>

enum { kLists = 64 };

struct entry {
  struct entry* next;
  long times;
  char word[24];
};

struct list {
  weft_shared_lock_t lock;
  struct entry* first;
};

static unsigned hash_of(const char* word) {
  unsigned hash = 2166136261u;
  for (; *word != '\0'; ++word) {
    hash = (hash ^ (unsigned char)*word) * 16777619u;
  }
  return hash;
}

static void count(struct list* table, const char* word) {
  struct list* list = &table[hash_of(word) % kLists];
  weft_shared_lock(&list->lock);
  struct entry* found = list->first;
  while (found != NULL && strcmp(found->word, word) != 0) {
    found = found->next;
  }
  if (found == NULL) {
    found = weft_shared_calloc(1, sizeof *found);
    snprintf(found->word, sizeof found->word, "%s", word);
    found->next = list->first;
    list->first = found;
  }
  ++found->times;
  weft_shared_unlock(&list->lock);
}

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  struct list* table = weft_shared_from(0, me == 0 ? weft_shared_calloc(kLists, sizeof *table) : NULL);

  /* Each PE counts its share of the numbers below 3000, by their remainders. */
  for (int k = me; k < 3000; k += n) {
    char word[24];
    snprintf(word, sizeof word, "rest %d", k % 100);
    count(table, word);
  }
  weft_shared_barrier();

  if (me == n - 1) {
    long words = 0, times = 0;
    for (int k = 0; k < kLists; ++k) {
      for (const struct entry* entry = table[k].first; entry != NULL; entry = entry->next) {
        ++words;
        times += entry->times;
      }
    }
    printf("%ld words, %ld times\n", words, times);
  }
  weft_shared_finalize();
  return 0;
}
