#include "eval/torch/stored_files.h"

#include <algorithm>
#include <variant>

namespace coppice::eval {

std::vector<std::filesystem::path> StoredFiles(const Workload& workload) {
  std::vector<std::filesystem::path> files;
  for (const auto& [name, input] : workload.inputs) {
    const auto* stored = std::get_if<SafetensorsInput>(&input);
    if (stored == nullptr) continue;
    auto file = std::filesystem::absolute(stored->path);
    if (std::ranges::find(files, file) == files.end()) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

std::string StoredFileInWorker(std::size_t i) {
  return "/stored/" + std::to_string(i);
}

std::string PathInWorker(const Workload& workload,
                         const SafetensorsInput& input) {
  const auto files = StoredFiles(workload);
  const auto at =
      std::ranges::find(files, std::filesystem::absolute(input.path));
  return StoredFileInWorker(static_cast<std::size_t>(at - files.begin()));
}

}  // namespace coppice::eval
