// STEPS explicit steps of the heat equation on a fixed border.
//
// Error model.  A step is a sum of n = 6 terms, of magnitude
//   s = |v| + 0.1 (sum of 4 neighbours |v| + 4 |v|) + 2^-126,
// so it errs by sqrt(n) s.  Errors of former steps are carried on with the
// weights 0.6 and 0.1, and neighbours may owe theirs to the same one; those of
// two steps are independent:
//   m^2 <- (0.6 m + 0.1 (sum of 4 neighbours' m))^2 + n s^2.
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t H,
                       int64_t W) {
  constexpr int64_t STEPS = 10;
  const double growth = std::sqrt(6.0);
  const int64_t size = H * W;
  std::vector<double> value(x, x + size);
  std::vector<double> error(size, 0.0);  // m
  std::vector<double> next = value;
  std::vector<double> next_error = error;
  for (int64_t t = 0; t < STEPS; ++t) {
    for (int64_t i = 1; i < H - 1; ++i) {
      for (int64_t j = 1; j < W - 1; ++j) {
        const int64_t at = i * W + j;
        double sum = 0.0;
        double terms = 4.0 * std::abs(value[at]);
        double carried = 0.0;
        for (const int64_t by : {at - W, at + W, at - 1, at + 1}) {
          sum += value[by];
          terms += std::abs(value[by]);
          carried += error[by];
        }
        const double s = 0x1p-126 + std::abs(value[at]) + 0.1 * terms;
        next[at] = value[at] + 0.1 * (sum - 4.0 * value[at]);
        next_error[at] =
            std::hypot(0.6 * error[at] + 0.1 * carried, growth * s);
      }
    }
    value = next;
    error = next_error;
  }
  for (int64_t i = 0; i < size; ++i) {
    y[i] = value[i];
    y_m[i] = error[i];
  }
}
