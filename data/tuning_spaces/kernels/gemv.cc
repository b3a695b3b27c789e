#include <cstdint>

// ROWS rows at a time, WIDTH floats side by side in a sum and SUMS such sums a
// row; THREADS share the rows; AHEAD floats further on are fetched before
// they are needed.
constexpr int ROWS = 2;    //@ tune 1 2 4 8
constexpr int WIDTH = 16;  //@ tune 8 16 32
constexpr int SUMS = 2;    //@ tune 1 2 4
constexpr int THREADS = 1; //@ tune 1 2 4
constexpr int AHEAD = 0;   //@ tune 0 1024

namespace {
template <int COUNT>
void Rows(const float* A, const float* x, float* y, int64_t K, int64_t i) {
  float sums[COUNT][SUMS][WIDTH] = {};
  constexpr int64_t STEP = SUMS * WIDTH;
  int64_t k = 0;
  for (; k + STEP <= K; k += STEP) {
    for (int r = 0; r < COUNT; ++r) {
      const float* row = A + (i + r) * K + k;
      if (AHEAD > 0) __builtin_prefetch(row + AHEAD);
      for (int s = 0; s < SUMS; ++s) {
        for (int w = 0; w < WIDTH; ++w) sums[r][s][w] += row[s * WIDTH + w] * x[k + s * WIDTH + w];
      }
    }
  }
  for (int r = 0; r < COUNT; ++r) {
    float sum = 0.0f;
    for (int64_t rest = k; rest < K; ++rest) sum += A[(i + r) * K + rest] * x[rest];
    for (int s = 0; s < SUMS; ++s) {
      for (int w = 0; w < WIDTH; ++w) sum += sums[r][s][w];
    }
    y[i + r] = sum;
  }
}
}  // namespace

// y[M] = A[M,K] * x[K]
extern "C" void run(const float* A, const float* x, float* y, int64_t M, int64_t K) {
  const int64_t blocks = M / ROWS;
#pragma omp parallel for num_threads(THREADS) if (THREADS > 1) schedule(static)
  for (int64_t block = 0; block < blocks; ++block) Rows<ROWS>(A, x, y, K, block * ROWS);
  for (int64_t i = blocks * ROWS; i < M; ++i) Rows<1>(A, x, y, K, i);
}
