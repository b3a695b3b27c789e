/* y = A x of complex numbers, as the reference BLAS has it (cgemv). */
#include <complex.h>

void cgemv(int m, int n, const float complex *A, const float complex *x,
           float complex *y) {
  for (int i = 0; i < m; i++) {
    float complex sum = 0;
    for (int j = 0; j < n; j++)
      sum += A[i * n + j] * x[j];
    y[i] = sum;
  }
}
