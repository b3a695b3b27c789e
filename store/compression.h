// zstd frames, each with the text of another blob as its prefix or with none.
// Frames are plain zstd: `zstd -d --patch-from=BASE` reads them too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice::store {

class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  Result<std::string> Compress(std::string_view text, std::string_view prefix);

  // kCorrupt if `frame` is none or does not hold `raw_bytes` bytes.
  Result<std::string> Decompress(std::string_view frame,
                                 std::string_view prefix,
                                 std::size_t raw_bytes);

 private:
  struct Contexts;  // Reused: making them costs more than a small text.
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace coppice::store
