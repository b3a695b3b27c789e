#include "store/zstd_file.h"

#include <zstd.h>

#include <memory>

namespace coppice::store {

// Frames need not say how long their text is, and a file may have several.
Result<std::string> DecompressFile(std::string_view bytes, std::size_t limit) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(
      ZSTD_createDCtx(), &ZSTD_freeDCtx);
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  std::string text;
  std::string chunk(ZSTD_DStreamOutSize(), '\0');
  std::size_t expected = 1;  // 0 at the end of a frame.
  while (in.pos < in.size || expected != 0) {
    ZSTD_outBuffer out = {chunk.data(), chunk.size(), 0};
    const std::size_t before = in.pos;
    expected = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(expected))
      return Fail(Errc::kCorrupt,
                  std::string("zstd file: ") + ZSTD_getErrorName(expected));
    if (in.pos == before && out.pos == 0 && expected != 0) {
      return Fail(Errc::kCorrupt, "zstd file: cut off");
    }
    if (text.size() + out.pos > limit) {
      return Fail(Errc::kCorrupt,
                  "zstd file: more than " + std::to_string(limit) + " bytes");
    }
    text.append(chunk, 0, out.pos);
  }
  return text;
}

}  // namespace coppice::store
