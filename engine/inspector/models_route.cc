// GET /models/...: the library and the weights of models that run in browsers,
// from a folder that the user named.
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/inspector/routes.h"

namespace coppice::inspector {
namespace {
namespace fs = std::filesystem;

constexpr std::string_view kPath = "/models/";
constexpr std::uintmax_t kLargestFile = 256
                                        << 20;  // Of a file, held in memory.

std::string TypeOf(const fs::path& file) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes{
      {{".js", "text/javascript"},
       {".mjs", "text/javascript"},
       {".json", "application/json"},
       {".wasm", "application/wasm"}}};
  for (const auto& [extension, type] : kTypes) {
    if (file.extension() == extension) return std::string(type);
  }
  return "application/octet-stream";
}

// Whether it lies in the folder, wherever links lead.
bool IsWithin(const fs::path& folder, const fs::path& file) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

http::Answer AnswerModels(const fs::path& folder,
                          const http::Request& request) {
  http::Answer nothing =
      http::Refusal(404, request.path + ": there is nothing");
  const auto name = http::Decoded(request.path.substr(kPath.size()), false);
  if (!name || name->find('\0') != name->npos) return nothing;
  std::error_code unknown;
  const fs::path root = fs::canonical(folder, unknown);
  if (unknown) return nothing;
  const fs::path file = fs::canonical(root / *name, unknown);
  if (unknown || !IsWithin(root, file) || !fs::is_regular_file(file, unknown)) {
    return nothing;
  }
  const std::uintmax_t size = fs::file_size(file, unknown);
  if (unknown) return nothing;
  if (size > kLargestFile) {
    return http::Refusal(413, request.path + ": more than 256 MB");
  }
  std::ifstream stream(file, std::ios::binary);
  http::Answer answer{200, TypeOf(file)};
  answer.headers = {{"Cache-Control", "no-cache"}};
  answer.body.resize(static_cast<std::size_t>(size));
  if (request.method == "HEAD") return answer;
  stream.read(answer.body.data(), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(stream.gcount()) != size) {
    return http::Refusal(503, request.path + ": cannot be read");
  }
  return answer;
}

}  // namespace coppice::inspector
