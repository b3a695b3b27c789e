#include <cstdint>

// counts[bin] = how many of values[N] have `bin` as their lowest eight bits
extern "C" void run(const int32_t* values, int32_t* counts, int64_t N) {
  constexpr int64_t BINS = 256;
  for (int64_t bin = 0; bin < BINS; ++bin) {
    counts[bin] = 0;
  }
  for (int64_t i = 0; i < N; ++i) {
    counts[values[i] & 255] += 1;
  }
}
