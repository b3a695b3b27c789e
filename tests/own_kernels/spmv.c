/* y = A x, A in compressed rows (Barrett et al. 1994, Templates, 4.3.2). */
void spmv(int n, const int *row_ptr, const int *col_ind, const double *val,
          const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0.0;
    for (int j = row_ptr[i]; j < row_ptr[i + 1]; j++)
      y[i] = y[i] + val[j] * x[col_ind[j]];
  }
}
