// Laplace's equation, initialised by one thread: what is written goes home at each step, but where the rows are mapped
// to who computes them. The same result however it is run.
#include <math.h>
#include <stdio.h>

enum { kSize = 512, kRounds = 20 };

double u[kSize][kSize], next_u[kSize][kSize];
static double kept[kSize];
double* pointer = kept;
int scalar;
int narrow[8][600];

static double step(double (*from)[kSize], double (*to)[kSize]) {
  double error = 0;
#pragma omp parallel for reduction(max : error)
  for (int i = 1; i < kSize - 1; i++) {
    for (int j = 1; j < kSize - 1; j++) {
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
      error = fmax(error, fabs(to[i][j] - from[i][j]));
    }
  }
  return error;
}

int main(void) {
  static int inner[100];
  double sum = 0;
  for (int i = 0; i < kSize; i++) {
    for (int j = 0; j < kSize; j++) u[i][j] = next_u[i][j] = (i * 7 + j * 3) % 17;
  }
  for (int round = 0; round < kRounds; round += 2) {
    step(u, next_u);
    kept[round] = step(next_u, u);
  }
  for (int i = 0; i < kSize; i++) {
    for (int j = 0; j < kSize; j++) sum += u[i][j] * (i + 1);
  }
  inner[scalar] = narrow[0][0] + (pointer == kept);
  printf("all is right: %.10g, %.10g\n", sum + inner[0] - 1, kept[kRounds - 2]);
  return 0;
}
