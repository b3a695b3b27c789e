#include "eval/formats/safetensors.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "eval/formats/json_cursor.h"

namespace coppice::eval {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // The format's limit.

// What a file begins with that git-lfs has not yet replaced by its data.
constexpr std::string_view kPointer = "version ";

struct StoredType {
  std::string_view name;  // Empty: the format has none.
  std::uint64_t bytes;
};

// Stored types by DType.
constexpr std::array<StoredType, 15> kStoredTypes = {{{"F32", 4},
                                                      {"F16", 2},
                                                      {"BF16", 2},
                                                      {"F8_E4M3", 1},
                                                      {"F8_E5M2", 1},
                                                      {"", 0},
                                                      {"I64", 8},
                                                      {"I32", 4},
                                                      {"I16", 2},
                                                      {"I8", 1},
                                                      {"BOOL", 1},
                                                      {"F64", 8},
                                                      {"U8", 1},
                                                      {"U16", 2},
                                                      {"U32", 4}}};

struct Entry {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Result<Entry> ReadEntry(const Cursor& entry) {
  Entry read;
  TRY_ASSIGN(read.dtype, entry.StringMember("dtype"));
  TRY(shape, entry.Member("shape"));
  TRY(sizes, shape.Items());
  for (const Cursor& size : sizes) {
    TRY(number, size.NonNegativeInteger());
    read.shape.push_back(number);
  }
  TRY(place, entry.Member("data_offsets"));
  TRY(offsets, place.Items());
  if (offsets.size() != 2) return place.Wrong("expected [BEGIN, END]");
  TRY(begin, offsets[0].NonNegativeInteger());
  TRY(end, offsets[1].NonNegativeInteger());
  read.begin = static_cast<std::uint64_t>(begin);
  read.end = static_cast<std::uint64_t>(end);
  return read;
}

Result<Entry> ParseEntry(const std::string& header, const std::string& key,
                         const std::string& path) {
  const std::string place = path + ": header";
  auto document = ParseJson(header, place);
  if (!document) return Fail(Errc::kUsage, document.error().what);
  const auto entry = Cursor(*document, place).Find(key);
  if (!entry) return Fail(Errc::kNotFound, path + ": has no tensor " + key);
  auto read = ReadEntry(*entry);
  if (!read) return Fail(Errc::kUsage, read.error().what);
  return read;
}

}  // namespace

Result<StoredBytes> FindSafetensor(const SafetensorsInput& input,
                                   const TensorShape& shape) {
  const auto corrupt = [&](const char* what) {
    return Fail(Errc::kUsage, input.path + ": " + what);
  };
  std::error_code unknown;
  if (std::filesystem::is_directory(input.path, unknown)) {
    return corrupt("is a directory");
  }
  std::ifstream file(input.path, std::ios::binary);
  if (!file) return Fail(Errc::kNotFound, input.path + ": cannot open");
  unsigned char prefix[8];
  if (!file.read(reinterpret_cast<char*>(prefix), sizeof prefix)) {
    return corrupt("shorter than its header");
  }
  if (std::string_view(reinterpret_cast<char*>(prefix), sizeof prefix) ==
      kPointer) {
    return corrupt("is a pointer of git-lfs; git lfs pull brings the data");
  }
  std::uint64_t header_bytes = 0;
  for (int i = 7; i >= 0; --i) header_bytes = header_bytes << 8 | prefix[i];
  if (header_bytes > kMaxHeaderBytes) return corrupt("header too long");
  // Before there is memory for it.
  const std::uintmax_t there = std::filesystem::file_size(input.path, unknown);
  if (unknown) return Fail(Errc::kIo, input.path + ": " + unknown.message());
  if (header_bytes > there) return corrupt("shorter than its header");
  std::string header(header_bytes, '\0');
  if (!file.read(header.data(), static_cast<std::streamsize>(header_bytes))) {
    return corrupt("shorter than its header");
  }
  TRY(entry, ParseEntry(header, input.tensor_key, input.path));
  const StoredType& type = kStoredTypes[static_cast<std::size_t>(shape.dtype)];
  if (entry.dtype != type.name || entry.shape != shape.dims) {
    return Fail(Errc::kUsage, input.path + ": tensor " + input.tensor_key +
                                  ": dtype or shape is not that of input " +
                                  shape.name);
  }
  const std::uint64_t size = shape.elements * type.bytes;
  if (entry.end < entry.begin || entry.end - entry.begin != size) {
    return corrupt("data_offsets do not fit the shape");
  }
  const std::uint64_t data = there - sizeof prefix - header_bytes;
  if (entry.begin > data || size > data - entry.begin) {
    return corrupt("data end early");
  }
  return StoredBytes{sizeof prefix + header_bytes + entry.begin, size};
}

Result<void> ReadSafetensor(const SafetensorsInput& input,
                            const TensorShape& shape,
                            std::vector<std::byte>& bytes) {
  TRY(place, FindSafetensor(input, shape));
  std::ifstream file(input.path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place.offset));
  if (!file.read(reinterpret_cast<char*>(bytes.data()),
                 static_cast<std::streamsize>(place.size))) {
    return Fail(Errc::kIo, input.path + ": cannot be read");
  }
  return {};
}

}  // namespace coppice::eval
