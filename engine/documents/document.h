// JSON for programs.  Names, paths and what candidates wrote need not be UTF-8:
// what is none becomes U+FFFD.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace coppice::cli {

// On several lines, with the end of the last.
void PrintDocument(const nlohmann::ordered_json& document, std::ostream& out);

// Prints as PrintDocument does an array that is never whole in memory.
class ArrayPrinter {
 public:
  explicit ArrayPrinter(std::ostream& out) : out_(out) {}
  void Add(const nlohmann::ordered_json& element);
  void Finish();

 private:
  std::ostream& out_;
  bool is_empty_ = true;
};

// The document on one line, without the line's end.
std::string LineOf(const nlohmann::ordered_json& document);

}  // namespace coppice::cli
