// Codes are turned round, so that a vector counts the bits of the same word of
// many codes, by one instruction where the processor has it; a block of codes
// stays in the first cache while all queries pass.  Blocks on all threads.
#include <algorithm>
#include <cstdint>

extern "C" void run(const int32_t* queries, const int32_t* codes,
                    int32_t* distances, int64_t Q, int64_t N) {
  constexpr int64_t WORDS = 8;
  constexpr int64_t BLOCK = 256;
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < N; n += BLOCK) {
    const int64_t count = std::min(BLOCK, N - n);
    alignas(64) uint32_t turned[WORDS][BLOCK];
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t w = 0; w < WORDS; ++w) {
        turned[w][i] = static_cast<uint32_t>(codes[(n + i) * WORDS + w]);
      }
    }
    for (int64_t q = 0; q < Q; ++q) {
      uint32_t word[WORDS];
      for (int64_t w = 0; w < WORDS; ++w) {
        word[w] = static_cast<uint32_t>(queries[q * WORDS + w]);
      }
      int32_t* out = distances + q * N + n;
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) {
        int32_t bits = 0;
#pragma GCC unroll 8
        for (int64_t w = 0; w < WORDS; ++w) {
          bits += __builtin_popcount(turned[w][i] ^ word[w]);
        }
        out[i] = bits;
      }
    }
  }
}
