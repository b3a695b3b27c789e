#include "eval/formats/json_cursor.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "eval/formats/lax.h"

namespace coppice::eval {
namespace {

// RFC 6901, section 3.
std::string Escape(const std::string& key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// Takes 2.0, "3" and true as well.
std::optional<std::int64_t> ToInteger(const Json& value) {
  constexpr double kLimit = 0x1p63;
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return std::nullopt;
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::trunc(number) != number || std::abs(number) >= kLimit) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  if (value.is_string()) return LaxInteger(value.get<std::string>());
  return std::nullopt;
}

// Returns how deep brackets outside of strings nest.
int NestingOf(const std::string& text) {
  int depth = 0;
  int most = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      most = std::max(most, ++depth);
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return most;
}

}  // namespace

Cursor::Cursor(const Json& root, std::string file)
    : Cursor(root, std::move(file), "") {}

Cursor::Cursor(const Json& value, std::string file, std::string pointer)
    : value_(&value), file_(std::move(file)), pointer_(std::move(pointer)) {}

tl::unexpected<Error> Cursor::Wrong(const std::string& what) const {
  const std::string place = pointer_.empty() ? "" : pointer_ + ": ";
  return Fail(Errc::kCorrupt, file_ + ": " + place + what);
}

Cursor Cursor::Around(const Json& value, std::string member) const {
  Cursor around = Of(value);
  around.unsaid_ = std::move(member);
  return around;
}

Cursor Cursor::At(const std::string& key, const Json& value) const {
  const bool is_said = unsaid_.empty() || key != unsaid_;
  return {value, file_, is_said ? pointer_ + "/" + Escape(key) : pointer_};
}

std::optional<Cursor> Cursor::Find(const std::string& key) const {
  if (!value_->is_object()) return std::nullopt;
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return At(key, *found);
}

Result<Cursor> Cursor::Member(const std::string& key) const {
  if (!value_->is_object()) return Wrong("expected an object");
  const std::optional<Cursor> member = Find(key);
  if (!member) return Wrong("\"" + key + "\" is missing");
  return *member;
}

Result<std::vector<std::pair<std::string, Cursor>>> Cursor::Members() const {
  if (!value_->is_object()) return Wrong("expected an object");
  std::vector<std::pair<std::string, Cursor>> members;
  for (const auto& [key, value] : value_->items()) {
    members.emplace_back(key, At(key, value));
  }
  return members;
}

Result<std::vector<std::pair<std::string, Cursor>>> Cursor::NamedMembers()
    const {
  TRY(members, Members());
  for (const auto& [name, member] : members) {
    if (name.empty()) return Wrong("has an empty name");
  }
  return members;
}

Result<std::vector<Cursor>> Cursor::Items() const {
  if (!value_->is_array()) return Wrong("expected an array");
  std::vector<Cursor> items;
  for (const Json& value : *value_) {
    const std::string index = std::to_string(items.size());
    items.push_back(Cursor(value, file_, pointer_ + "/" + index));
  }
  return items;
}

Result<std::string> Cursor::NonEmptyString() const {
  TRY(text, String());
  if (text.empty()) return Wrong("expected a string that is not empty");
  return text;
}

Result<std::string> Cursor::String() const {
  if (!value_->is_string()) return Wrong("expected a string");
  return value_->get<std::string>();
}

Result<std::vector<std::string>> Cursor::Strings() const {
  TRY(items, Items());
  std::vector<std::string> strings;
  for (const Cursor& item : items) {
    TRY(text, item.String());
    strings.push_back(std::move(text));
  }
  return strings;
}

Result<std::vector<std::string>> Cursor::NonEmptyStrings() const {
  TRY(items, Items());
  std::vector<std::string> strings;
  for (const Cursor& item : items) {
    TRY(text, item.NonEmptyString());
    strings.push_back(std::move(text));
  }
  return strings;
}

Result<std::int64_t> Cursor::NonNegativeInteger() const {
  const std::optional<std::int64_t> number = ToInteger(*value_);
  if (!number || *number < 0) return Wrong("expected an integer >= 0");
  return *number;
}

Result<double> Cursor::Number() const {
  if (value_->is_boolean()) return value_->get<bool>() ? 1.0 : 0.0;
  if (value_->is_number()) return value_->get<double>();
  if (value_->is_string()) {
    if (const auto number = LaxNumber(value_->get<std::string>())) {
      return *number;
    }
  }
  return Wrong("expected a number");
}

Result<bool> Cursor::Bool() const {
  if (value_->is_boolean()) return value_->get<bool>();
  std::optional<bool> truth;
  if (value_->is_string()) truth = LaxBool(value_->get<std::string>());
  if (value_->is_number() && *value_ == 0) truth = false;
  if (value_->is_number() && *value_ == 1) truth = true;
  if (!truth) return Wrong("expected a bool");
  return *truth;
}

Result<std::size_t> Cursor::OneOf(
    std::span<const std::string_view> names) const {
  TRY(text, NonEmptyString());
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return Wrong("unknown value \"" + text + "\"");
  return static_cast<std::size_t>(found - names.begin());
}

Result<std::string> Cursor::StringMember(const std::string& key) const {
  TRY(member, Member(key));
  return member.NonEmptyString();
}

Result<std::optional<std::string>> Cursor::OptionalString(
    const std::string& key) const {
  const std::optional<Cursor> member = Find(key);
  if (!member || member->Value().is_null()) {
    return std::optional<std::string>();
  }
  TRY(text, member->String());
  return std::optional(std::move(text));
}

Result<std::optional<double>> Cursor::OptionalNumber(
    const std::string& key) const {
  const std::optional<Cursor> member = Find(key);
  if (!member || member->Value().is_null()) return std::optional<double>();
  if (!member->Value().is_number()) return member->Wrong("expected a number");
  return std::optional(member->Value().get<double>());
}

Result<std::optional<bool>> Cursor::OptionalBool(const std::string& key) const {
  const std::optional<Cursor> member = Find(key);
  if (!member || member->Value().is_null()) return std::optional<bool>();
  if (!member->Value().is_boolean()) return member->Wrong("expected a bool");
  return std::optional(member->Value().get<bool>());
}

Result<std::string> Cursor::StringOrEmpty(const std::string& key) const {
  TRY(text, OptionalString(key));
  return text.value_or("");
}

Result<std::vector<std::string>> Cursor::StringsMember(
    const std::string& key) const {
  const std::optional<Cursor> member = Find(key);
  if (!member) return std::vector<std::string>();
  return member->NonEmptyStrings();
}

Result<Json> ParseJson(const std::string& text, const std::string& file) {
  // The parser takes one for the end of the text.
  if (text.find('\0') != std::string::npos) {
    return Fail(Errc::kCorrupt, file + ": not JSON: it has a zero byte");
  }
  // pydantic has this limit; those who write the value again recurse.
  constexpr int kMostDepth = 200;
  if (NestingOf(text) > kMostDepth) {
    return Fail(Errc::kCorrupt, file + ": not JSON: nested over 200 deep");
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, ...".
    std::string what = error.what();
    const std::size_t tag_end = what.find("] ");
    if (tag_end != std::string::npos) what.erase(0, tag_end + 2);
    // It quotes what it has read last, which may be a whole program.
    constexpr std::size_t kMostText = 300;
    if (what.size() > kMostText) {
      what.resize(std::min(what.find("; last read"), kMostText));
    }
    return Fail(Errc::kCorrupt, file + ": not JSON: " + what);
  }
}

}  // namespace coppice::eval
