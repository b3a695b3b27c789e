// The mean of a 5x5 window by weights w = exp(-e),
//   e = (rows^2 + columns^2) / 4.5 + (x - centre)^2 / 2.
//
// Error model.  A weight errs by 4 w for the exponential and by w times the
// error of e, which is 4 e (a difference, a square, a division, a sum).  Both
// sums have n terms, in any order; the quotient errs once more.  In all
//   m = (sqrt(n) sum w|x| + |y| sqrt(n) sum w
//        + sum 4 w (1 + e) (|x| + |y|)) / sum w + |y|.
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void oracle(const double* x, double* y, double* y_m, int64_t H,
                       int64_t W) {
  constexpr int64_t R = 2;
  for (int64_t i = 0; i < H; ++i) {
    for (int64_t j = 0; j < W; ++j) {
      double sum = 0.0;
      double terms = 0.0;
      double weights = 0.0;
      double doubt = 0.0;   // sum 4 w (1 + e)
      double doubts = 0.0;  // sum 4 w (1 + e) |x|
      double n = 0.0;
      for (int64_t row = std::max<int64_t>(i - R, 0);
           row <= std::min(i + R, H - 1); ++row) {
        for (int64_t column = std::max<int64_t>(j - R, 0);
             column <= std::min(j + R, W - 1); ++column) {
          const double pixel = x[row * W + column];
          const double apart = static_cast<double>((row - i) * (row - i) +
                                                   (column - j) * (column - j));
          const double difference = pixel - x[i * W + j];
          const double e = apart / 4.5 + difference * difference / 2.0;
          const double w = std::exp(-e);
          if (w == 0.0) continue;
          sum += w * pixel;
          terms += w * std::abs(pixel);
          weights += w;
          doubt += 4.0 * w * (1.0 + e);
          doubts += 4.0 * w * (1.0 + e) * std::abs(pixel);
          n += 1.0;
        }
      }
      const double mean = sum / weights;
      y[i * W + j] = mean;
      y_m[i * W + j] = (std::sqrt(n) * (terms + std::abs(mean) * weights) +
                        doubts + std::abs(mean) * doubt) /
                           weights +
                       std::abs(mean);
    }
  }
}
