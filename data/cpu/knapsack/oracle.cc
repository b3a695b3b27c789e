// The 0/1 knapsack for every capacity below C, in one row from above.
//
// Error model: integers, so m = 0 and they must be equal.
#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" void oracle(const int64_t* weight, const int64_t* value,
                       double* best, double* best_m, int64_t B, int64_t N) {
  constexpr int64_t C = 2048;
  std::vector<int64_t> row(C);
  for (int64_t b = 0; b < B; ++b) {
    std::fill(row.begin(), row.end(), 0);
    for (int64_t i = 0; i < N; ++i) {
      const int64_t heavy = weight[b * N + i];
      for (int64_t c = C - 1; c >= heavy; --c) {
        row[c] = std::max(row[c], row[c - heavy] + value[b * N + i]);
      }
    }
    for (int64_t c = 0; c < C; ++c) {
      best[b * C + c] = static_cast<double>(row[c]);
      best_m[b * C + c] = 0.0;
    }
  }
}
