// 2.1 in C++: statics with constructors that run before main and before the library knows of them, class statics,
// inline and template variables, function statics with guards. What they hold survives being made symmetric; the plain
// ones are reachable from other PEs.
#include "../check.h"

#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct Registry {
  std::vector<std::string> names{"first", "second"};
  std::unordered_map<std::string, int> numbers{{"one", 1}, {"two", 2}};
  std::string short_text = "short";  // libstdc++ keeps a pointer to itself in here
  std::mutex mutex;
  Registry* self = this;
  long plain = 11;
};
Registry registry;

// Runs very early, before most constructors.
__attribute__((constructor(150))) void early() {
  static int calls;
  ++calls;
}
long set_by_constructor;
__attribute__((constructor)) void usual() { set_by_constructor = 31; }

const long computed = static_cast<long>(registry.names.size()) + 5;  // dynamic initialisation: not in .rodata

struct Counter {
  static long count;
  static long table[100];
};
long Counter::count = 8;
long Counter::table[100];

template <typename T>
struct PerType {
  static T value;
};
template <typename T>
T PerType<T>::value = T(5);

#if __cplusplus >= 201703L
inline long inline_variable = 13;
#else
long inline_variable = 13;
#endif

long& guarded() {
  static long value = static_cast<long>(registry.numbers.at("two")) * 100;
  return value;
}

std::unique_ptr<int> owner(new int(3));

void exchange(long& object, long was, const char* name) {
  CHECK_EQ(object, was, "%s at the start", name);
  shmem_barrier_all();
  shmem_long_p(&object, was * 1000 + check_me, check_right(1));
  shmem_barrier_all();
  CHECK_EQ(object, was * 1000 + check_right(-1), "%s after a put", name);
  CHECK_EQ(shmem_long_g(&object, check_right(1)), was * 1000 + check_me, "%s by get", name);
  shmem_barrier_all();
}

}  // namespace

int main() {
  check_begin();
  CHECK(registry.self == &registry, "a pointer of an object to itself");
  CHECK_EQ(registry.names.size(), 2, "vector made before main");
  CHECK(registry.names[1] == "second" && registry.short_text == "short", "strings made before main");
  CHECK_EQ(registry.numbers.at("two"), 2, "map made before main");
  CHECK_EQ(computed, 7, "dynamic initialisation");
  CHECK_EQ(*owner, 3, "unique_ptr");
  exchange(set_by_constructor, 31, "set by a constructor function");
  exchange(registry.plain, 11, "member");
  exchange(Counter::count, 8, "class static");
  exchange(Counter::table[57], 0, "element of a class static");
  exchange(PerType<long>::value, 5, "static of a template");
  exchange(inline_variable, 13, "inline variable");
  exchange(guarded(), 200, "guarded function static");
  // the private machinery still works after remote traffic around it
  {
    std::lock_guard<std::mutex> hold(registry.mutex);
    for (int i = 0; i < 1000; ++i) registry.names.push_back(std::to_string(i));
    registry.numbers["three"] = 3;
  }
  CHECK(registry.names.back() == "999", "%s", registry.names.back().c_str());
  std::cout << "PE " << check_me << " done" << std::endl;  // a copy relocation in .bss
  return check_end();
}
