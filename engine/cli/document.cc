#include "engine/cli/document.h"

#include <nlohmann/json.hpp>
#include <ostream>

namespace coppice::cli {

using nlohmann::ordered_json;

void PrintDocument(const ordered_json& document, std::ostream& out) {
  out << document.dump(2, ' ', false, ordered_json::error_handler_t::replace)
      << "\n";
}

std::string LineOf(const ordered_json& document) {
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace coppice::cli
