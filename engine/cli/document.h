// JSON for programs.  Names, paths and what candidates wrote need not be UTF-8:
// what is none becomes U+FFFD.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace coppice::cli {

// On several lines, with the end of the last.
void PrintDocument(const nlohmann::ordered_json& document, std::ostream& out);

// On one line, without its end.
std::string LineOf(const nlohmann::ordered_json& document);

}  // namespace coppice::cli
