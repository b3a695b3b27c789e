// As pydantic writes: serde_json's layout, and numbers as the `ryu` crate has
// them.
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "eval/formats/trace_json.h"
#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

// The fewest digits that give the number back; plain from 1e-5 to 1e16.
std::string NumberText(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 std::chars_format::scientific);
  const std::string_view scientific(text.data(), end.ptr);  // "-1.25e-07"
  const std::size_t e = scientific.find('e');
  if (e == scientific.npos) return "null";  // Not finite.
  const bool negative = scientific.front() == '-';
  std::string digits;
  for (const char c : scientific.substr(0, e)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  std::string_view power = scientific.substr(e + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  const int exponent = ParseNumber<int>(power).value_or(0);
  const int point = exponent + 1;  // Digits before it.
  const int length = static_cast<int>(digits.size());
  std::string plain;
  if (point > 16 || point <= -5) {
    plain = digits.substr(0, 1);
    if (length > 1) plain += "." + digits.substr(1);
    plain += (exponent > 0 ? "e+" : "e") + std::to_string(exponent);
  } else if (point <= 0) {
    plain = "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  } else if (point >= length) {
    plain = digits +
            std::string(static_cast<std::size_t>(point - length), '0') + ".0";
  } else {
    plain = digits;
    plain.insert(static_cast<std::size_t>(point), ".");
  }
  return (negative ? "-" : "") + plain;
}

std::string ScalarText(const Json& value) {
  if (value.is_number_float()) return NumberText(value.get<double>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void Write(const Json& value) {
    if (!value.is_structured() || value.empty()) {
      text_ += ScalarText(value);
      return;
    }
    const bool object = value.is_object();
    text_ += object ? '{' : '[';
    ++depth_;
    bool first = true;
    for (const auto& [key, member] : value.items()) {
      if (!std::exchange(first, false)) text_ += ',';
      BreakLine();
      if (object) text_ += ScalarText(key) + (indent_ < 0 ? ":" : ": ");
      Write(member);
    }
    --depth_;
    BreakLine();
    text_ += object ? '}' : ']';
  }

  std::string Take() { return std::move(text_); }

 private:
  void BreakLine() {
    if (indent_ < 0) return;
    text_ += '\n';
    text_.append(
        static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_),
        ' ');
  }

  const int indent_;
  int depth_ = 0;
  std::string text_;
};

}  // namespace

std::string DocumentText(const Json& document, int indent) {
  Writer writer(indent);
  writer.Write(document);
  return writer.Take();
}

std::string PrettyText(const Json& document) {
  return DocumentText(document, 2) + "\n";
}

}  // namespace coppice::eval
