// The sections of an ELF file of 64 bits, read with all bounds checked: what
// is read here was made from anybody's source.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace coppice::eval::cuda {

struct Section {
  std::string_view name;
  std::string_view bytes;  // Empty where the file holds none.
  std::uint64_t size = 0;  // In memory.
  std::uint32_t type = 0;
  std::uint32_t link = 0;  // Number of a section.
};

// Sections by number.  They refer to `file`.  None if it is not such a file.
std::optional<std::vector<Section>> ReadSections(std::string_view file);

// The string at `offset` of a string table; empty beyond its end.
std::string_view StringAt(std::string_view table, std::size_t offset);

// The T at `offset`, or none beyond the end.
template <class T>
std::optional<T> ReadAt(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return {};
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace coppice::eval::cuda
