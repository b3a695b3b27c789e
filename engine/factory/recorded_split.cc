#include "engine/factory/recorded_split.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <optional>
#include <sstream>

namespace coppice::engine {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 3> kSplitRoles = {"train", "test",
                                                         "own"};

std::optional<SplitRole> ReadRole(std::string_view word) {
  const auto* role = std::ranges::find(kSplitRoles, word);
  if (role == kSplitRoles.end()) return std::nullopt;
  return static_cast<SplitRole>(role - kSplitRoles.begin());
}

bool IsSha256(std::string_view text) {
  return text.size() == 64 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Result<std::vector<SplitSpace>> ReadSplit(const fs::path& data_directory) {
  const fs::path file = data_directory / "tuning_spaces" / "split.txt";
  std::ifstream stream(file);
  if (!stream) return Fail(Errc::kNotFound, file.string() + ": no such file");
  std::vector<SplitSpace> split;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    std::istringstream words(line);
    SplitSpace space;
    std::string role;
    std::string more;
    if (!(words >> space.name) || space.name.starts_with('#')) continue;
    words >> role >> space.sha256;
    const auto known = ReadRole(role);
    const bool is_new =
        std::ranges::find(split, space.name, &SplitSpace::name) == split.end();
    if (!known || !IsSha256(space.sha256) || words >> more || !is_new) {
      return Fail(Errc::kUsage,
                  file.string() + ":" + std::to_string(number) +
                      ": expected a new name, train, test or own, and the "
                      "SHA-256 of the table");
    }
    space.role = *known;
    split.push_back(std::move(space));
  }
  return split;
}

std::string_view KernelOfSpace(std::string_view name) {
  return name.substr(0, name.find('_'));
}

std::vector<std::string> SpacesOf(std::string_view set,
                                  const std::vector<SplitSpace>& split) {
  const auto is_trained_on = [&](const SplitSpace& one) {
    return std::ranges::any_of(split, [&](const SplitSpace& other) {
      return other.role == SplitRole::kTrain &&
             KernelOfSpace(other.name) == KernelOfSpace(one.name);
    });
  };
  const auto role = ReadRole(set);
  std::vector<std::string> names;
  for (const SplitSpace& space : split) {
    if (role ? space.role == *role : set == "unseen" && !is_trained_on(space)) {
      names.push_back(space.name);
    }
  }
  return names;
}

}  // namespace coppice::engine
