#include "eval/safetensors.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

namespace coppice::eval {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // The format's limit.

const char* NameOf(DType dtype) {
  switch (dtype) {
    case DType::kInt64:
      return "I64";
    case DType::kInt32:
      return "I32";
    case DType::kInt16:
      return "I16";
    case DType::kInt8:
      return "I8";
    case DType::kBool:
      return "BOOL";
    default:
      return "F32";
  }
}

struct Entry {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Result<Entry> ParseEntry(const std::string& header, const std::string& key,
                         const std::string& path) {
  try {
    const nlohmann::json document = nlohmann::json::parse(header);
    if (!document.contains(key)) {
      return Fail(Errc::kNotFound, path + ": has no tensor " + key);
    }
    const nlohmann::json& entry = document.at(key);
    const auto& offsets = entry.at("data_offsets");
    return Entry{entry.at("dtype").get<std::string>(),
                 entry.at("shape").get<std::vector<std::int64_t>>(),
                 offsets.at(0).get<std::uint64_t>(),
                 offsets.at(1).get<std::uint64_t>()};
  } catch (const nlohmann::json::exception& error) {
    return Fail(Errc::kCorrupt, path + ": header: " + error.what());
  }
}

}  // namespace

Result<void> ReadSafetensor(const SafetensorsInput& input,
                            const TensorShape& shape,
                            std::vector<std::byte>& bytes) {
  const auto corrupt = [&](const char* what) {
    return Fail(Errc::kCorrupt, input.path + ": " + what);
  };
  std::ifstream file(input.path, std::ios::binary);
  if (!file) return Fail(Errc::kNotFound, input.path + ": cannot open");
  unsigned char prefix[8];
  if (!file.read(reinterpret_cast<char*>(prefix), sizeof prefix)) {
    return corrupt("shorter than its header");
  }
  std::uint64_t header_bytes = 0;
  for (int i = 7; i >= 0; --i) header_bytes = header_bytes << 8 | prefix[i];
  if (header_bytes > kMaxHeaderBytes) return corrupt("header too long");
  // Before there is memory for it.
  std::error_code unknown;
  const std::uintmax_t there = std::filesystem::file_size(input.path, unknown);
  if (!unknown && header_bytes > there)
    return corrupt("shorter than its header");
  std::string header(header_bytes, '\0');
  if (!file.read(header.data(), static_cast<std::streamsize>(header_bytes))) {
    return corrupt("shorter than its header");
  }
  TRY(entry, ParseEntry(header, input.tensor_key, input.path));
  if (entry.dtype != NameOf(shape.dtype) || entry.shape != shape.dims) {
    return Fail(Errc::kUsage, input.path + ": tensor " + input.tensor_key +
                                  ": dtype or shape is not that of input " +
                                  shape.name);
  }
  const std::uint64_t size = shape.elements * ElementBytes(shape.dtype);
  if (entry.end < entry.begin || entry.end - entry.begin != size) {
    return corrupt("data_offsets do not fit the shape");
  }
  file.seekg(static_cast<std::streamoff>(8 + header_bytes + entry.begin));
  if (!file.read(reinterpret_cast<char*>(bytes.data()),
                 static_cast<std::streamsize>(size))) {
    return corrupt("data end early");
  }
  return {};
}

}  // namespace coppice::eval
