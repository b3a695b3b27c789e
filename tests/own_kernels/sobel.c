/* The magnitude of Sobel's gradient of a grey image, its edges left alone. */
#include <stdint.h>
#include <stdlib.h>

static int clamp(int v) { return v > 255 ? 255 : v; }

void sobel(const uint8_t *in, uint8_t *out, int height, int width) {
  for (int y = 1; y < height - 1; y++) {
    for (int x = 1; x < width - 1; x++) {
      const uint8_t *p = in + y * width + x;
      int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] -
               2 * p[-1] - p[-1 + width];
      int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] -
               2 * p[-width] - p[-width + 1];
      out[y * width + x] = clamp(abs(gx) + abs(gy));
    }
  }
}
