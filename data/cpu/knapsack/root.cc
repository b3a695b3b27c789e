#include <cstdint>
#include <vector>

// best[B,C] = greatest value of items, each taken once or not, whose weights
// are at most c, for each c below C = 2048; weight[B,N] and value[B,N]
extern "C" void run(const int32_t* weight, const int32_t* value, int32_t* best,
                    int64_t B, int64_t N) {
  constexpr int64_t C = 2048;
  std::vector<int32_t> table((N + 1) * C);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t c = 0; c < C; ++c) {
      table[c] = 0;
    }
    for (int64_t i = 1; i <= N; ++i) {
      for (int64_t c = 0; c < C; ++c) {
        int32_t most = table[(i - 1) * C + c];
        int64_t rest = c - weight[b * N + i - 1];
        if (rest >= 0) {
          int32_t taken = table[(i - 1) * C + rest] + value[b * N + i - 1];
          most = taken > most ? taken : most;
        }
        table[i * C + c] = most;
      }
    }
    for (int64_t c = 0; c < C; ++c) {
      best[b * C + c] = table[N * C + c];
    }
  }
}
