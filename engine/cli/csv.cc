#include "engine/cli/csv.h"

#include <cstdio>
#include <utility>

namespace coppice::cli {
namespace {

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

}  // namespace

std::string CsvNumber(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  const char* before = "";
  for (const std::string& field : fields) {
    line += std::exchange(before, ",") + CsvField(field);
  }
  return line + "\n";
}

}  // namespace coppice::cli
