// Two rows in turn, which stay in the first cache; the capacities below an
// item's weight are copied, the others done a vector at a time.  Instances on
// all threads.
#include <algorithm>
#include <cstdint>
#include <utility>

extern "C" void run(const int32_t* weight, const int32_t* value, int32_t* best,
                    int64_t B, int64_t N) {
  constexpr int64_t C = 2048;
#pragma omp parallel for schedule(dynamic)
  for (int64_t b = 0; b < B; ++b) {
    alignas(64) int32_t first[C] = {};
    alignas(64) int32_t second[C];
    int32_t* old = first;
    int32_t* next = second;
    for (int64_t i = 0; i < N; ++i) {
      const int64_t heavy = std::min<int64_t>(weight[b * N + i], C);
      const int32_t gain = value[b * N + i];
      std::copy(old, old + heavy, next);
#pragma omp simd
      for (int64_t c = heavy; c < C; ++c) {
        const int32_t taken = old[c - heavy] + gain;
        next[c] = taken > old[c] ? taken : old[c];
      }
      std::swap(old, next);
    }
    std::copy(old, old + C, best + b * C);
  }
}
