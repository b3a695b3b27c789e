#include "engine/documents/csv.h"

#include <cstdlib>
#include <utility>

#include "store/records/formatted.h"

namespace coppice::cli {
namespace {

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

std::string FieldOf(double number) {
  // 0.1, not 0.10000000000000001, where that is the same.
  std::string shorter = Formatted("%.15g", number);
  return std::strtod(shorter.c_str(), nullptr) == number ? shorter
                                                         : CsvNumber(number);
}

std::string FieldOf(const store::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return std::to_string(*whole);
  }
  if (const auto* real = std::get_if<double>(&value)) return FieldOf(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "";
}

}  // namespace

std::vector<std::string> CsvFields(const std::vector<store::Value>& row) {
  std::vector<std::string> fields;
  for (const store::Value& value : row) fields.push_back(FieldOf(value));
  return fields;
}

std::string CsvNumber(double number) { return Formatted("%.17g", number); }

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  const char* before = "";
  for (const std::string& field : fields) {
    line += std::exchange(before, ",") + CsvField(field);
  }
  return line + "\n";
}

}  // namespace coppice::cli
