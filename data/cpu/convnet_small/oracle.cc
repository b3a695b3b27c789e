// y = linear(mean(relu(conv(pool(relu(conv(x)))))))
//
// Error model, in units of u:
//   conv     a sum of n = 9 C + 1 terms whose data carry the error a_m,
//              sqrt(n) (sum|a w| + |bias|) + sqrt(sum (a_m w)^2)
//            (Higham and Mary 2019, theorem 3.1; the errors carried are
//            independent, so their squares add);
//   relu, pool  never enlarge an error, but pooling may choose another element:
//            the largest of the window;
//   mean     sqrt(n) mean|a|, and sqrt(sum a_m^2) / n carried;
//   linear   as conv, with n = C2 + 1.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

constexpr int64_t C0 = 3;
constexpr int64_t C1 = 16;
constexpr int64_t C2 = 24;
constexpr int64_t Z = 10;

// Planes [channels,rows,columns] with the magnitudes of their errors.
struct Image {
  Image(int64_t channels, int64_t rows, int64_t columns)
      : channels(channels),
        rows(rows),
        columns(columns),
        value(channels * rows * columns),
        magnitude(channels * rows * columns) {}
  int64_t Plane() const { return rows * columns; }
  int64_t channels;
  int64_t rows;
  int64_t columns;
  std::vector<double> value;
  std::vector<double> magnitude;
};

// out += w * in for one tap of one kernel, shifted by (down, right).
void AddTap(const Image& in, int64_t c, int64_t down, int64_t right, double w,
            double* value, double* terms, double* carried) {
  const int64_t first = std::max<int64_t>(0, -right);
  const int64_t last = std::min(in.columns, in.columns - right);
  for (int64_t i = 0; i < in.rows; ++i) {
    if (i + down < 0 || i + down >= in.rows) continue;
    const int64_t from = c * in.Plane() + (i + down) * in.columns + right;
    const double* a = in.value.data() + from;
    const double* a_m = in.magnitude.data() + from;
    for (int64_t j = first; j < last; ++j) {
      const int64_t at = i * in.columns + j;
      value[at] += a[j] * w;
      terms[at] += std::abs(a[j] * w);
      carried[at] += (a_m[j] * w) * (a_m[j] * w);
    }
  }
}

Image ConvolveAndRelu(const Image& in, const double* w, const double* bias,
                      int64_t channels) {
  Image out(channels, in.rows, in.columns);
  const double growth = std::sqrt(9.0 * static_cast<double>(in.channels) + 1.0);
  std::vector<double> carried(in.Plane());
  for (int64_t k = 0; k < channels; ++k) {
    double* value = &out.value[k * in.Plane()];
    double* terms = &out.magnitude[k * in.Plane()];
    std::fill_n(value, in.Plane(), bias[k]);
    std::fill_n(terms, in.Plane(), std::abs(bias[k]));
    std::fill(carried.begin(), carried.end(), 0.0);
    for (int64_t c = 0; c < in.channels; ++c) {
      for (int64_t tap = 0; tap < 9; ++tap) {
        AddTap(in, c, tap / 3 - 1, tap % 3 - 1,
               w[(k * in.channels + c) * 9 + tap], value, terms,
               carried.data());
      }
    }
    for (int64_t i = 0; i < in.Plane(); ++i) {
      value[i] = std::max(value[i], 0.0);
      terms[i] = growth * terms[i] + std::sqrt(carried[i]);
    }
  }
  return out;
}

Image Pool(const Image& in) {
  Image out(in.channels, in.rows / 2, in.columns / 2);
  for (int64_t i = 0; i < out.channels * out.rows; ++i) {
    for (int64_t j = 0; j < out.columns; ++j) {
      const int64_t top = 2 * i * in.columns + 2 * j;
      const int64_t bottom = top + in.columns;
      const auto largest = [&](const std::vector<double>& a) {
        return std::max({a[top], a[top + 1], a[bottom], a[bottom + 1]});
      };
      out.value[i * out.columns + j] = largest(in.value);
      out.magnitude[i * out.columns + j] = largest(in.magnitude);
    }
  }
  return out;
}

// One value for each channel.
Image Average(const Image& in) {
  Image out(in.channels, 1, 1);
  const double n = static_cast<double>(in.Plane());
  for (int64_t c = 0; c < in.channels; ++c) {
    double sum = 0.0;
    double terms = 0.0;
    double carried = 0.0;
    for (int64_t i = c * in.Plane(); i < (c + 1) * in.Plane(); ++i) {
      sum += in.value[i];
      terms += std::abs(in.value[i]);
      carried += in.magnitude[i] * in.magnitude[i];
    }
    out.value[c] = sum / n;
    out.magnitude[c] =
        (std::sqrt(n) * terms + std::sqrt(carried)) / n + std::abs(sum / n);
  }
  return out;
}

}  // namespace

extern "C" void oracle(const double* x, const double* w1, const double* b1,
                       const double* w2, const double* b2, const double* w3,
                       const double* b3, double* y, double* y_m, int64_t B,
                       int64_t H, int64_t W) {
  const double growth = std::sqrt(C2 + 1.0);
  for (int64_t b = 0; b < B; ++b) {
    Image image(C0, 2 * H, 2 * W);
    std::copy_n(x + b * C0 * image.Plane(), C0 * image.Plane(),
                image.value.begin());
    const Image a = Average(
        ConvolveAndRelu(Pool(ConvolveAndRelu(image, w1, b1, C1)), w2, b2, C2));
    for (int64_t z = 0; z < Z; ++z) {
      double sum = b3[z];
      double terms = std::abs(b3[z]);
      double carried = 0.0;
      for (int64_t c = 0; c < C2; ++c) {
        const double weight = w3[z * C2 + c];
        sum += a.value[c] * weight;
        terms += std::abs(a.value[c] * weight);
        carried += (a.magnitude[c] * weight) * (a.magnitude[c] * weight);
      }
      y[b * Z + z] = sum;
      y_m[b * Z + z] = growth * terms + std::sqrt(carried);
    }
  }
}
