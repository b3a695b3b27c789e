// Accelerations of bodies that attract each other, with softening (Aarseth
// 1963), all pairs.
#include <cmath>

void accelerations(int n, float eps2, const float* mass, const float* px,
                   const float* py, const float* pz, float* ax, float* ay,
                   float* az) {
  for (int i = 0; i < n; ++i) {
    float sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (int j = 0; j < n; ++j) {
      float dx = px[j] - px[i];
      float dy = py[j] - py[i];
      float dz = pz[j] - pz[i];
      float r2 = dx * dx + dy * dy + dz * dz + eps2;
      float w = mass[j] / (r2 * std::sqrt(r2));
      sx += w * dx;
      sy += w * dy;
      sz += w * dz;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
  }
}
