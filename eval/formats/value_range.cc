#include "eval/formats/value_range.h"

#include <algorithm>

#include "eval/formats/axis_expression.h"

namespace coppice::eval {
namespace {

constexpr std::string_view kRange = "range:";
constexpr std::string_view kAscending = "ascending:";
constexpr std::string_view kTo = "..";

// The values that its type has and a range may name; none: not one of these.
std::optional<ValueRange> WholeRange(const Definition& definition,
                                     const std::string& input) {
  const auto spec =
      std::ranges::find(definition.inputs, input, &TensorSpec::name);
  if (spec == definition.inputs.end() || !spec->shape) return std::nullopt;
  switch (spec->dtype) {
    case DType::kInt8:
      return ValueRange{-128, 127};
    case DType::kInt16:
      return ValueRange{-32768, 32767};
    case DType::kUInt8:
      return ValueRange{0, 255};
    case DType::kUInt16:
      return ValueRange{0, 65535};
    case DType::kUInt32:
      return ValueRange{0, (std::int64_t{1} << 32) - 1};
    case DType::kInt32:
    case DType::kInt64:  // One word of random bits for each.
      return ValueRange{-(std::int64_t{1} << 31), (std::int64_t{1} << 31) - 1};
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<std::map<std::string, ValueRange>> ValueRanges(
    const Definition& definition,
    const std::map<std::string, std::int64_t>& axes) {
  std::map<std::string, ValueRange> ranges;
  for (const std::string& tag : definition.tags) {
    const bool is_range = tag.starts_with(kRange);
    if (!is_range && !tag.starts_with(kAscending)) continue;
    const auto refuse = [&](const std::string& what) {
      return Fail(Errc::kUsage, definition.name + ": tag " + tag + ": " + what);
    };
    const std::string rest =
        tag.substr(is_range ? kRange.size() : kAscending.size());
    const std::string name = rest.substr(0, rest.find(':'));
    const auto whole = WholeRange(definition, name);
    if (!whole) return refuse(name + " is no input tensor of integers");
    if (!is_range) {
      const auto found = ranges.find(name);
      if (found == ranges.end()) {
        return refuse("a tag range:" + name + ":LOW..HIGH must come before it");
      }
      found->second.ascending = true;
      continue;
    }
    const std::size_t to = rest.find(kTo);
    if (name.size() == rest.size() || to == std::string::npos) {
      return refuse(
          "expected range:NAME:LOW..HIGH, as in range:columns:0..N-1");
    }
    const auto low =
        SizeOf(rest.substr(name.size() + 1, to - name.size() - 1), axes);
    if (!low) return refuse(low.error().what);
    const auto high = SizeOf(rest.substr(to + kTo.size()), axes);
    if (!high) return refuse(high.error().what);
    if (*low > *high) return refuse("no value is in it");
    if (*low < whole->low || *high > whole->high) {
      return refuse("must be within " + std::to_string(whole->low) + ".." +
                    std::to_string(whole->high));
    }
    ranges[name] = {*low, *high};
  }
  return ranges;
}

}  // namespace coppice::eval
