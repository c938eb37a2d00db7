// A library that a program loads when it runs.
int called;
int call_later(int by);
int call_later(int by) { return __atomic_add_fetch(&called, by, __ATOMIC_RELAXED); }
