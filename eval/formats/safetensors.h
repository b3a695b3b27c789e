// Reads one tensor of a safetensors file: a little-endian u64 header length, a
// JSON header {"name": {"dtype", "shape", "data_offsets": [begin, end]}, ...},
// then raw row-major little-endian data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eval/formats/shapes.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// The place of a tensor's data.
struct StoredBytes {
  std::uint64_t offset = 0;  // From the beginning of the file.
  std::uint64_t size = 0;
};

// Fails with kNotFound, or with kUsage if the file is damaged or has another
// dtype or shape than the definition says, naming file and tensor.  A relative
// path is relative to the working directory.
Result<StoredBytes> FindSafetensor(const SafetensorsInput& input,
                                   const TensorShape& shape);

// Finds the tensor and reads it into `bytes`, which has the size of `shape`'s
// elements (8 for a scalar).
Result<void> ReadSafetensor(const SafetensorsInput& input,
                            const TensorShape& shape,
                            std::vector<std::byte>& bytes);

}  // namespace coppice::eval
