#include <cstdint>

// Y[M,F] = A * X[N,F]; row i of A has the NNZ elements of `values` from
// row_start[i] on, up to the next row's, in `columns`
extern "C" void run(const int32_t* row_start, const int32_t* columns,
                    const float* values, const float* X, float* Y, int64_t M,
                    int64_t NNZ, int64_t N, int64_t F) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t end = i + 1 < M ? row_start[i + 1] : NNZ;
    for (int64_t f = 0; f < F; ++f) {
      float sum = 0.0f;
      for (int64_t k = row_start[i]; k < end; ++k) {
        sum += values[k] * X[columns[k] * F + f];
      }
      Y[i * F + f] = sum;
    }
  }
}
