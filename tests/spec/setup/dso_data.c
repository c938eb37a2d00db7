/* A shared library with data of its own, for the tests that say it is not symmetric. */
static long counter = 100;
static long table[4096];

long* dso_counter(void) { return &counter; }
long* dso_table(void) { return table; }
