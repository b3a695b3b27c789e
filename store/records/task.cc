#include "store/records/task.h"

namespace coppice {

std::optional<std::string> TagValue(const Definition& definition,
                                    const std::string& key) {
  for (const std::string& tag : definition.tags) {
    if (tag.starts_with(key + ":")) return tag.substr(key.size() + 1);
  }
  return std::nullopt;
}

}  // namespace coppice
