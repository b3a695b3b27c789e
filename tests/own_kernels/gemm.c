/* C = alpha A B + beta C, in PolyBench/C's form (linear-algebra/blas/gemm). */
void gemm(int ni, int nj, int nk, double alpha, double beta, double *C,
          const double *A, const double *B) {
  int i, j, k;
  for (i = 0; i < ni; i++) {
    for (j = 0; j < nj; j++)
      C[i * nj + j] *= beta;
    for (k = 0; k < nk; k++) {
      for (j = 0; j < nj; j++)
        C[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
    }
  }
}
