#include "search/landscapes/point_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <vector>

#include "store/records/parse_number.h"

namespace coppice::search {
namespace {

constexpr std::string_view kLegend =
    "# A point of a simulated landscape, see docs/landscapes.md.\n";

tl::unexpected<Error> FailAt(int line, std::string_view what) {
  std::string text = "line " + std::to_string(line);
  return Fail(Errc::kCorrupt, text.append(": ").append(what));
}

template <class Number>
std::string Digits(Number number, int base = 10) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, base).ptr;
  return {text.data(), end};
}

template <>
std::string Digits(double number, int) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

template <class Number, class... Format>
bool Read(std::string_view word, Number& number, Format... format) {
  const auto parsed = ParseNumber<Number>(word, format...);
  if (parsed) number = *parsed;
  return parsed.has_value();
}

bool ReadFinite(std::string_view word, double& number) {
  return Read(word, number) && std::isfinite(number);
}

bool ReadKey(std::string_view word, std::uint64_t& key) {
  return word.size() == 16 && Read(word, key, 16);
}

bool ReadVerdict(std::string_view word, Verdict& verdict) {
  const std::optional<Verdict> parsed = ParseVerdict(word);
  if (parsed) verdict = *parsed;
  return parsed.has_value();
}

struct Line {
  int number = 0;
  std::vector<std::string> words;
};

// Without comments.
std::vector<Line> Split(std::string_view source) {
  std::istringstream lines{std::string(source)};
  std::vector<Line> split;
  int number = 0;
  for (std::string text; std::getline(lines, text);) {
    ++number;
    std::istringstream stream(text);
    Line line{number, {}};
    for (std::string word; stream >> word;) line.words.push_back(word);
    if (!line.words.empty() && line.words[0][0] != '#') split.push_back(line);
  }
  return split;
}

// Takes the lines in their order.
class Reader {
 public:
  explicit Reader(std::string_view source) : lines_(Split(source)) {}

  bool IsAtEnd() const { return at_ == lines_.size(); }

  bool IsNext(std::string_view name) const {
    return !IsAtEnd() && lines_[at_].words[0] == name;
  }

  // `name VALUE`, where `read` understands the value.
  template <class Read, class Value>
  Result<void> Take(std::string_view name, Read read, Value& value) {
    if (!IsNext(name) || lines_[at_].words.size() != 2 ||
        !read(lines_[at_].words[1], value)) {
      return Unexpected(std::string(name) + " and its value");
    }
    ++at_;
    return {};
  }

  // The words after `bug`.
  Result<void> TakeBug(Point& point) {
    const std::vector<std::string>& words = lines_[at_].words;
    const bool is_stubborn = words.size() == 3 && words[2] == "stubborn";
    if ((words.size() != 2 && !is_stubborn) ||
        !ReadVerdict(words[1], point.verdict) ||
        point.verdict == Verdict::kPassed) {
      return Unexpected("bug, a verdict, and perhaps 'stubborn'");
    }
    point.is_stubborn = is_stubborn;
    ++at_;
    return {};
  }

  tl::unexpected<Error> Unexpected(const std::string& expected) const {
    const int last = lines_.empty() ? 0 : lines_.back().number;
    return FailAt(IsAtEnd() ? last + 1 : lines_[at_].number,
                  "expected " + expected);
  }

 private:
  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

}  // namespace

Result<PointText> ParsePoint(std::string_view source) {
  PointText text;
  Reader reader(source);
  const auto as_is = [](const std::string& word, std::string& value) {
    value = word;
    return true;
  };
  const auto natural = [](std::string_view word, auto& number) {
    return Read(word, number) && number >= 0;
  };
  TRY_DONE(reader.Take("sim", as_is, text.landscape));
  TRY_DONE(reader.Take("root_runtime_s", ReadFinite, text.root_runtime_s));
  if (text.root_runtime_s <= 0.0) {
    return Fail(Errc::kCorrupt, "root_runtime_s: must be positive");
  }
  if (reader.IsAtEnd()) return text;
  Point& point = text.point;
  Position& position = point.position;
  TRY_DONE(reader.Take("key", ReadKey, point.key));
  TRY_DONE(reader.Take("depth", natural, point.depth));
  TRY_DONE(reader.Take("log_speedup", ReadFinite, position.log_speedup));
  TRY_DONE(reader.Take("ceiling", ReadFinite, position.ceiling));
  TRY_DONE(reader.Take("progress", ReadFinite, position.progress));
  TRY_DONE(reader.Take("basin_start", ReadFinite, position.basin_start));
  TRY_DONE(reader.Take("genome", natural, position.genome));
  TRY_DONE(reader.Take("at_best", ReadVerdict, position.at_best));
  if (reader.IsNext("part")) {
    TRY_DONE(reader.Take("part", natural, point.part));
  }
  if (reader.IsNext("bug")) {
    TRY_DONE(reader.TakeBug(point));
    if (reader.IsNext("hint")) {
      TRY_DONE(reader.Take("hint", ReadFinite, point.hint.emplace()));
    }
  } else {
    TRY_DONE(reader.Take("measured", ReadFinite, point.measured));
  }
  if (!reader.IsAtEnd()) return reader.Unexpected("the end");
  return text;
}

std::string Render(const PointText& text) {
  const Point& point = text.point;
  std::string source = "sim " + text.landscape + "\n";
  source += kLegend;
  const auto add = [&source](std::string_view name, std::string_view value) {
    source.append(name).append(" ").append(value).append("\n");
  };
  add("root_runtime_s", Digits(text.root_runtime_s));
  if (point.depth == 0) return source;
  const std::string key = Digits(point.key, 16);
  add("key", std::string(16 - key.size(), '0') + key);
  add("depth", Digits(point.depth));
  add("log_speedup", Digits(point.position.log_speedup));
  add("ceiling", Digits(point.position.ceiling));
  add("progress", Digits(point.position.progress));
  add("basin_start", Digits(point.position.basin_start));
  add("genome", Digits(point.position.genome));
  add("at_best", Name(point.position.at_best));
  if (point.part > 0) add("part", Digits(point.part));
  if (point.verdict == Verdict::kPassed) {
    add("measured", Digits(point.measured));
  } else {
    std::string bug(Name(point.verdict));
    if (point.is_stubborn) bug += " stubborn";
    add("bug", bug);
    if (point.hint) add("hint", Digits(*point.hint));
  }
  return source;
}

double RuntimeOf(const Point& point, double root_runtime_s) {
  return root_runtime_s * std::exp(-point.measured);
}

}  // namespace coppice::search
