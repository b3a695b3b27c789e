#include "eval/formats/yaml.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::eval {
namespace {

constexpr int kMostNested = 64;
constexpr std::string_view kBlanks = " \t";

struct YamlLine {
  int number = 0;
  std::size_t indent = 0;
  std::string text;  // Without what stands around it.
};

std::string Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return "";
  return std::string(
      text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1));
}

// Begins after a blank, outside of quotes.
std::string WithoutComment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool begins = i == 0 || kBlanks.find(line[i - 1]) != kBlanks.npos ||
                        line[i - 1] == '[' || line[i - 1] == '{' ||
                        line[i - 1] == ',';
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && begins) {
      quote = c;
    } else if (c == '#' && begins) {
      return std::string(line.substr(0, i));
    }
  }
  return std::string(line);
}

class YamlParser {
 public:
  YamlParser(std::vector<YamlLine> lines, std::string file)
      : lines_(std::move(lines)), file_(std::move(file)) {}

  Result<Json> Parse() {
    if (lines_.empty()) return Json::object();
    TRY(value, Block(lines_.front().indent, 0));
    if (at_ < lines_.size()) return Wrong("is indented as nothing above it is");
    return value;
  }

 private:
  tl::unexpected<Error> Wrong(const std::string& what) const {
    const std::size_t line = std::min(at_, lines_.size() - 1);
    return Fail(
        Errc::kCorrupt,
        file_ + ":" + std::to_string(lines_[line].number) + ": " + what);
  }

  bool IsAt(std::size_t indent) const {
    return at_ < lines_.size() && lines_[at_].indent == indent;
  }

  static bool IsItem(const std::string& text) {
    return text == "-" || text.starts_with("- ");
  }

  Result<Json> Block(std::size_t indent, int depth) {
    if (depth > kMostNested) return Wrong("is nested too deeply");
    return IsItem(lines_[at_].text) ? List(indent) : Mapping(indent, depth);
  }

  Result<Json> List(std::size_t indent) {
    Json list = Json::array();
    while (IsAt(indent) && IsItem(lines_[at_].text)) {
      std::string_view rest(lines_[at_].text);
      rest.remove_prefix(1);
      TRY(value, Whole(Trimmed(rest)));
      if (value.is_string() && KeyEnd(Trimmed(rest))) {
        return Wrong("a list of mappings is not read; write it in braces");
      }
      list.push_back(std::move(value));
      ++at_;
    }
    return list;
  }

  Result<Json> Mapping(std::size_t indent, int depth) {
    Json mapping = Json::object();
    while (IsAt(indent) && !IsItem(lines_[at_].text)) {
      const std::string text = lines_[at_].text;
      const auto end = KeyEnd(text);
      if (!end) return Wrong("\"" + text + "\" is no `KEY: VALUE`");
      TRY(key, Whole(Trimmed(text.substr(0, *end))));
      if (!key.is_string()) return Wrong("a key is no text");
      const std::string rest = Trimmed(text.substr(*end + 1));
      if (!rest.empty()) {
        TRY(value, Whole(rest));
        mapping[key.get<std::string>()] = std::move(value);
        ++at_;
        continue;
      }
      ++at_;
      Json& place = mapping[key.get<std::string>()] = nullptr;
      if (at_ == lines_.size()) continue;
      const bool is_deeper = lines_[at_].indent > indent;
      if (is_deeper || (IsAt(indent) && IsItem(lines_[at_].text))) {
        TRY(value, Block(lines_[at_].indent, depth + 1));
        place = std::move(value);
      }
    }
    return mapping;
  }

  // Of the colon after a key, which a blank or the end follows.
  static std::optional<std::size_t> KeyEnd(const std::string& text) {
    std::size_t from = 0;
    if (text.starts_with('"') || text.starts_with('\'')) {
      from = text.find(text[0], 1);
      if (from == text.npos) return std::nullopt;
    }
    for (std::size_t i = from; i < text.size(); ++i) {
      if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' ')) {
        return i;
      }
    }
    return std::nullopt;
  }

  // All of a text is one value.
  Result<Json> Whole(const std::string& text) {
    std::string_view rest(text);
    TRY(value, Value(rest, "", 0));
    if (!Trimmed(rest).empty()) {
      return Wrong("unexpected \"" + Trimmed(rest) + "\"");
    }
    return value;
  }

  // A plain scalar ends before any of `stops`.
  Result<Json> Value(std::string_view& rest, std::string_view stops,
                     int depth) {
    if (depth > kMostNested) return Wrong("is nested too deeply");
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    if (rest.empty()) return Json(nullptr);
    const char first = rest.front();
    if (first == '[' || first == '{') return InLine(rest, depth);
    if (first == '"' || first == '\'') return Quoted(rest);
    if (std::string_view("&*!|>%@`").find(first) != std::string_view::npos) {
      return Wrong("\"" + std::string(1, first) +
                   "\" of YAML is not read; write a plain value");
    }
    std::size_t end = 0;
    while (end < rest.size() && stops.find(rest[end]) == stops.npos) {
      const bool ends_key = !stops.empty() && rest[end] == ':' &&
                            end + 1 < rest.size() && rest[end + 1] == ' ';
      if (ends_key) break;
      ++end;
    }
    const std::string text = Trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
    if (text.empty() || text == "~" || text == "null") return Json(nullptr);
    if (text == "true" || text == "false") return Json(text == "true");
    return Json(text);
  }

  Result<Json> InLine(std::string_view& rest, int depth) {
    const bool is_list = rest.front() == '[';
    const char close = is_list ? ']' : '}';
    Json made = is_list ? Json::array() : Json::object();
    rest.remove_prefix(1);
    while (true) {
      while (!rest.empty() && (rest.front() == ' ' || rest.front() == ',')) {
        rest.remove_prefix(1);
      }
      if (rest.empty()) {
        return Wrong(std::string("\"") + close + "\" is missing in the line");
      }
      if (rest.front() == close) break;
      TRY(value, Value(rest, ",]}", depth + 1));
      if (is_list) {
        made.push_back(std::move(value));
        continue;
      }
      while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
      if (!value.is_string() || !rest.starts_with(":")) {
        return Wrong("expected `KEY: VALUE` within braces");
      }
      rest.remove_prefix(1);
      TRY(member, Value(rest, ",]}", depth + 1));
      made[value.get<std::string>()] = std::move(member);
    }
    rest.remove_prefix(1);
    return made;
  }

  Result<Json> Quoted(std::string_view& rest) {
    const char quote = rest.front();
    std::string text;
    for (std::size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] == '\\' && quote == '"') {
        return Wrong("escapes in quotes are not read");
      }
      if (rest[i] != quote) {
        text += rest[i];
        continue;
      }
      if (quote == '\'' && i + 1 < rest.size() && rest[i + 1] == quote) {
        text += quote;
        ++i;
        continue;
      }
      rest.remove_prefix(i + 1);
      return Json(std::move(text));
    }
    return Wrong("a quote is not closed in the line");
  }

  std::vector<YamlLine> lines_;
  std::string file_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> ParseYaml(const std::string& text, const std::string& file) {
  std::vector<YamlLine> lines;
  std::istringstream input(text);
  std::string line;
  for (int number = 1; std::getline(input, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    const std::string plain = WithoutComment(line);
    const std::size_t indent = plain.find_first_not_of(' ');
    if (Trimmed(plain).empty() || plain == "---") continue;
    if (plain[indent] == '\t') {
      return Fail(Errc::kCorrupt, file + ":" + std::to_string(number) +
                                      ": is indented by a tab");
    }
    lines.push_back({number, indent, Trimmed(plain)});
  }
  return YamlParser(std::move(lines), file).Parse();
}

}  // namespace coppice::eval
