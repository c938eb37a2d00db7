/* What a program that is linked with an MPI sees of it, and nothing behind. */
int MPI_Init(int* argc, char*** argv);
int MPI_Init(int* argc, char*** argv) { return argc == (void*)argv; }
