// In how many bits of 8 words each query differs from each code.
//
// Error model: integers, so m = 0 and they must be equal.
#include <bit>
#include <cstdint>

extern "C" void oracle(const int64_t* queries, const int64_t* codes,
                       double* distances, double* distances_m, int64_t Q,
                       int64_t N) {
  constexpr int64_t WORDS = 8;
  for (int64_t q = 0; q < Q; ++q) {
    for (int64_t n = 0; n < N; ++n) {
      int count = 0;
      for (int64_t w = 0; w < WORDS; ++w) {
        count += std::popcount(static_cast<uint32_t>(queries[q * WORDS + w] ^
                                                     codes[n * WORDS + w]));
      }
      distances[q * N + n] = count;
      distances_m[q * N + n] = 0.0;
    }
  }
}
