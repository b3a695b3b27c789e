#include <cstdint>

// distances[Q,N] = in how many bits each of `queries` differs from each of
// `codes`, both of WORDS words of 32 bits
extern "C" void run(const int32_t* queries, const int32_t* codes,
                    int32_t* distances, int64_t Q, int64_t N) {
  constexpr int64_t WORDS = 8;
  for (int64_t q = 0; q < Q; ++q) {
    for (int64_t n = 0; n < N; ++n) {
      int32_t count = 0;
      for (int64_t w = 0; w < WORDS; ++w) {
        int32_t bits = queries[q * WORDS + w] ^ codes[n * WORDS + w];
        for (int64_t b = 0; b < 32; ++b) {
          count += (bits >> b) & 1;
        }
      }
      distances[q * N + n] = count;
    }
  }
}
