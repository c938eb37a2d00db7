// Containers in shared memory: made by one PE, changed under a lock by all, read by all.
#include <map>
#include <new>
#include <string>
#include <vector>
#include <weft/shared.hpp>

#include "check.h"

namespace {

template <class T>
using Shared = weft::shared_allocator<T>;
using Text = std::basic_string<char, std::char_traits<char>, Shared<char>>;
using Table = std::map<int, Text, std::less<int>, Shared<std::pair<const int, Text>>>;

struct alignas(64) Root {
  weft_shared_lock_t lock;
  Table table;
  std::vector<double, Shared<double>> values;
};

}  // namespace

int main() {
  weft_shared_init();
  const int me = weft_shared_my_pe();
  const int n = weft_shared_n_pes();
  Root* root = nullptr;
  if (me == 0) {
    root = new (Shared<Root>().allocate(1)) Root{};
  }
  root = static_cast<Root*>(weft_shared_from(0, root));
  for (int k = 0; k < 100; ++k) {
    weft_shared_lock(&root->lock);
    root->table[k % 50].append(1, 'a');
    root->values.push_back(k);
    weft_shared_unlock(&root->lock);
  }
  weft_shared_barrier();
  CHECK(root->table.size() == 50 && root->values.size() == 100U * static_cast<unsigned>(n));
  double sum = 0;
  for (const double value : root->values) {
    sum += value;
  }
  CHECK(sum == 4950.0 * n);
  for (const auto& [number, text] : root->table) {
    CHECK(number >= 0 && text == Text(2U * static_cast<unsigned>(n), 'a'));
  }
  bool thrown = false;
  try {
    Shared<double>().allocate(std::size_t{1} << 50);
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  CHECK(thrown);
  weft_shared_barrier();
  if (me == 0) {
    root->~Root();
    Shared<Root>().deallocate(root, 1);
  }
  weft_shared_finalize();
  return 0;
}
