#include <cstdint>
#include <vector>

// distances[P] = fewest insertions, deletions and replacements that make
// b[P,L] of a[P,K], pair by pair
extern "C" void run(const int8_t* a, const int8_t* b, int32_t* distances,
                    int64_t P, int64_t K, int64_t L) {
  std::vector<int32_t> table((K + 1) * (L + 1));
  for (int64_t p = 0; p < P; ++p) {
    for (int64_t i = 0; i <= K; ++i) {
      table[i * (L + 1)] = static_cast<int32_t>(i);
    }
    for (int64_t j = 0; j <= L; ++j) {
      table[j] = static_cast<int32_t>(j);
    }
    for (int64_t i = 1; i <= K; ++i) {
      for (int64_t j = 1; j <= L; ++j) {
        int32_t replaced = table[(i - 1) * (L + 1) + j - 1] +
                           (a[p * K + i - 1] == b[p * L + j - 1] ? 0 : 1);
        int32_t removed = table[(i - 1) * (L + 1) + j] + 1;
        int32_t added = table[i * (L + 1) + j - 1] + 1;
        int32_t best = replaced < removed ? replaced : removed;
        table[i * (L + 1) + j] = best < added ? best : added;
      }
    }
    distances[p] = table[K * (L + 1) + L];
  }
}
