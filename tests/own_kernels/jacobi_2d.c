/* Two-dimensional Jacobi stencil, in PolyBench/C's form (stencils/jacobi-2d). */
#define N 250
void jacobi_2d(int tsteps, float A[N][N], float B[N][N]) {
  int t, i, j;
  for (t = 0; t < tsteps; t++) {
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        B[i][j] = 0.2f * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] +
                          A[i - 1][j]);
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        A[i][j] = 0.2f * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] +
                          B[i - 1][j]);
  }
}
