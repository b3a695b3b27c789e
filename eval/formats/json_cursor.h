// A place in a JSON document that knows how to name itself, so that every
// complaint reads `file: /pointer: what is wrong`.
//
// It reads as the JSON Schemas of FlashInfer-Bench are validated in practice:
// keys nobody asks for are ignored, 2.0 and "3" are integers (see lax.h).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval {

// Ordered: the order of inputs and outputs is that of the arguments.
using Json = nlohmann::ordered_json;

class Cursor {
 public:
  // `root` must outlive the cursor and all that come from it.
  Cursor(const Json& root, std::string file);

  const Json& Value() const { return *value_; }

  Result<Cursor> Member(const std::string& key) const;
  // None if absent; a null is present.
  std::optional<Cursor> Find(const std::string& key) const;

  // All members of an object with their names, in order.
  Result<std::vector<std::pair<std::string, Cursor>>> Members() const;
  // The same; an empty name is an error.
  Result<std::vector<std::pair<std::string, Cursor>>> NamedMembers() const;
  Result<std::vector<Cursor>> Items() const;

  Result<std::string> String() const;
  Result<std::string> NonEmptyString() const;
  Result<std::vector<std::string>> Strings() const;
  Result<std::vector<std::string>> NonEmptyStrings() const;
  Result<std::int64_t> NonNegativeInteger() const;
  Result<double> Number() const;  // May be infinite or NaN.
  Result<bool> Bool() const;
  // The index of the name that this string is.
  Result<std::size_t> OneOf(std::span<const std::string_view> names) const;

  Result<std::string> StringMember(const std::string& key) const;
  // Empty if absent or null.
  Result<std::string> StringOrEmpty(const std::string& key) const;
  // None if absent or null.
  Result<std::optional<std::string>> OptionalString(
      const std::string& key) const;
  Result<std::optional<double>> OptionalNumber(const std::string& key) const;
  Result<std::optional<bool>> OptionalBool(const std::string& key) const;
  // Empty if absent; null is an error.
  Result<std::vector<std::string>> StringsMember(const std::string& key) const;

  // As if `value` stood at this place, which must outlive the cursor.
  Cursor Of(const Json& value) const { return {value, file_, pointer_}; }
  // The same, with the value's `member` standing at this place itself.
  Cursor Around(const Json& value, std::string member) const;

  // An error about this place.
  tl::unexpected<Error> Wrong(const std::string& what) const;

 private:
  Cursor(const Json& value, std::string file, std::string pointer);
  Cursor At(const std::string& key, const Json& value) const;

  const Json* value_;
  std::string file_;
  std::string pointer_;  // RFC 6901; empty at the root.
  std::string unsaid_;   // The member that is no step of it.
};

Result<Json> ParseJson(const std::string& text, const std::string& file);

}  // namespace coppice::eval
