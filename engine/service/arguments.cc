#include "engine/service/arguments.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/service/json.h"
#include "store/records/joined.h"
#include "store/records/nearest_name.h"

namespace coppice::service {
namespace {

constexpr int kMostDepth = 6;

std::string NumberText(double number) { return Json(number).dump(); }

}  // namespace

struct Arguments::State {
  Json json = Json::object();
  std::string prefix;  // "sources[1].": where a part stands.
  std::vector<std::string> asked;
  std::vector<std::string> faults;

  // Null: it is not there, or null.
  const Json* Find(std::string_view key) {
    asked.emplace_back(key);
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return nullptr;
    return &*found;
  }
  void Fault(std::string_view key, const std::string& what) {
    faults.push_back(prefix + std::string(key) + ": " + what);
  }
  // What `read` makes of it.  None, without a fault of its own: it is missing.
  template <class Read>
  auto Required(std::string_view key, Read read) {
    const std::size_t before = faults.size();
    auto value = read();
    if (!value && faults.size() == before) Fault(key, "missing");
    return value ? *std::move(value) : typename decltype(value)::value_type();
  }
};

Arguments::Arguments(std::unique_ptr<State> state) : state_(std::move(state)) {}

Arguments::Arguments(std::string_view request)
    : state_(std::make_unique<State>()) {
  if (request.empty()) return;
  bool is_deep = false;
  const auto look = [&](int depth, Json::parse_event_t, Json&) {
    is_deep |= depth > kMostDepth;
    return depth <= kMostDepth;
  };
  Json parsed = Json::parse(request, look, false);
  if (parsed.is_object() && !is_deep) {
    state_->json = std::move(parsed);
  } else {
    state_->faults.emplace_back("the arguments are no JSON object");
  }
}

Arguments::~Arguments() = default;
Arguments::Arguments(Arguments&&) noexcept = default;

std::optional<std::string> Arguments::OptionalText(std::string_view key) {
  const Json* value = state_->Find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  state_->Fault(key, "expected a text");
  return std::nullopt;
}

std::string Arguments::Text(std::string_view key) {
  return state_->Required(key, [&] { return OptionalText(key); });
}

std::int64_t Arguments::Count(std::string_view key, std::int64_t least,
                              std::int64_t most) {
  return state_->Required(key, [&] { return OptionalCount(key, least, most); });
}

std::string Arguments::OneOf(std::string_view key,
                             const std::vector<std::string_view>& words) {
  const auto text = OptionalText(key);
  if (!text || std::ranges::find(words, *text) != words.end()) {
    return text.value_or(std::string(words.front()));
  }
  state_->Fault(key, "expected one of " + coppice::Joined(words, ", "));
  return std::string(words.front());
}

double Arguments::Number(std::string_view key, double least, double most,
                         double otherwise) {
  const Json* value = state_->Find(key);
  if (value == nullptr) return otherwise;
  if (value->is_number()) {
    const auto number = value->get<double>();
    if (number >= least && number <= most) return number;
  }
  state_->Fault(key, "expected a number from " + NumberText(least) + " to " +
                         NumberText(most));
  return otherwise;
}

std::optional<std::int64_t> Arguments::OptionalCount(std::string_view key,
                                                     std::int64_t least,
                                                     std::int64_t most) {
  const Json* value = state_->Find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits =
      !value->is_number_unsigned() ||
      value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
  if (value->is_number_integer() && fits) {
    const auto count = value->get<std::int64_t>();
    if (count >= least && count <= most) return count;
  }
  state_->Fault(key, "expected a whole number from " + std::to_string(least) +
                         " to " + std::to_string(most));
  return std::nullopt;
}

bool Arguments::Flag(std::string_view key) {
  const Json* value = state_->Find(key);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  state_->Fault(key, "expected true or false");
  return false;
}

std::vector<Arguments> Arguments::Objects(std::string_view key,
                                          std::size_t least, std::size_t most) {
  const Json* value = state_->Find(key);
  const bool fits = value != nullptr && value->is_array() &&
                    value->size() >= least && value->size() <= most &&
                    std::ranges::all_of(*value, [](const Json& each) {
                      return each.is_object();
                    });
  std::vector<Arguments> parts;
  if (!fits) {
    state_->Fault(key, value == nullptr
                           ? "missing"
                           : "expected " + std::to_string(least) + " to " +
                                 std::to_string(most) + " objects");
    return parts;
  }
  for (const Json& each : *value) {
    auto state = std::make_unique<State>();
    state->json = each;
    state->prefix = state_->prefix + std::string(key) + "[" +
                    std::to_string(parts.size()) + "].";
    parts.push_back(Arguments(std::move(state)));
  }
  return parts;
}

std::optional<Arguments> Arguments::OptionalObject(std::string_view key) {
  const Json* value = state_->Find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) {
    state_->Fault(key, "expected an object");
    return std::nullopt;
  }
  auto state = std::make_unique<State>();
  state->json = *value;
  state->prefix = state_->prefix + std::string(key) + ".";
  return Arguments(std::move(state));
}

void Arguments::Fault(std::string fault) {
  state_->faults.push_back(state_->prefix + std::move(fault));
}

void Arguments::Join(Arguments& part) {
  if (auto done = part.Done(); !done) {
    state_->faults.push_back(std::move(done).error().what);
  }
}

Result<void> Arguments::Done() {
  for (const auto& [key, value] : state_->json.items()) {
    if (std::ranges::find(state_->asked, key) != state_->asked.end()) continue;
    const auto near = NearestName(key, state_->asked);
    state_->Fault(key.substr(0, 64),
                  "there is no such argument" +
                      (near ? "; did you mean " + *near + "?" : ""));
  }
  if (state_->faults.empty()) return {};
  return Fail(Errc::kUsage, coppice::Joined(state_->faults, "; "));
}

}  // namespace coppice::service
