// counts[bin] = how many values have `bin` as their lowest eight bits.
//
// Error model: integers, so m = 0 and they must be equal.
#include <algorithm>
#include <cstdint>

extern "C" void oracle(const int64_t* values, double* counts, double* counts_m,
                       int64_t N) {
  constexpr int64_t BINS = 256;
  std::fill_n(counts, BINS, 0.0);
  std::fill_n(counts_m, BINS, 0.0);
  for (int64_t i = 0; i < N; ++i) counts[values[i] & 255] += 1.0;
}
