/* All of it is in the library, so that what is moved into symmetric memory is not the runtime's own data. */
int run(int argc, char** argv);
int main(int argc, char** argv) { return run(argc, argv); }
