#include <cstdint>

// y[M] = A * x[N]; row i of A has the NNZ elements of `values` from
// row_start[i] on, up to the next row's, in `columns`
extern "C" void run(const int32_t* row_start, const int32_t* columns,
                    const float* values, const float* x, float* y, int64_t M,
                    int64_t NNZ, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t end = i + 1 < M ? row_start[i + 1] : NNZ;
    float sum = 0.0f;
    for (int64_t k = row_start[i]; k < end; ++k) {
      sum += values[k] * x[columns[k]];
    }
    y[i] = sum;
  }
}
