#include "engine/documents/document.h"

#include <nlohmann/json.hpp>
#include <ostream>

namespace coppice::cli {

using nlohmann::ordered_json;

namespace {

std::string LinesOf(const ordered_json& document) {
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

void PrintDocument(const ordered_json& document, std::ostream& out) {
  out << LinesOf(document) << "\n";
}

void ArrayPrinter::Add(const ordered_json& element) {
  out_ << (is_empty_ ? "[\n  " : ",\n  ");
  is_empty_ = false;
  for (const char c : LinesOf(element)) {
    out_ << c;
    if (c == '\n') out_ << "  ";
  }
}

void ArrayPrinter::Finish() { out_ << (is_empty_ ? "[]\n" : "\n]\n"); }

std::string LineOf(const ordered_json& document) {
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace coppice::cli
