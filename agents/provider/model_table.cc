#include "agents/provider/model_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <concepts>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace coppice::agents {
namespace {

using nlohmann::json;

// Thrown within this file, and no further.
struct Nonsense {
  std::string what;
};

// One object of the file, whose members are taken by name.  What nobody asked
// for is an error, since it is a mistyped key.
class Row {
 public:
  Row(const json& object, std::string place)
      : object_(object), place_(std::move(place)) {
    if (!object.is_object()) throw Nonsense{place_ + ": expected an object"};
  }

  void OnlyKnows(const std::vector<std::string_view>& names) const {
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(names, name) == names.end()) {
        throw Nonsense{place_ + ": unknown key '" + name + "'"};
      }
    }
  }

  const json* Find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  void Take(const char* name, std::string& text) const {
    if (const json* value = Find(name)) {
      if (!value->is_string()) Expected(name, "a text");
      text = value->get<std::string>();
    }
  }

  void Take(const char* name, bool& flag) const {
    if (const json* value = Find(name)) {
      if (!value->is_boolean()) Expected(name, "true or false");
      flag = value->get<bool>();
    }
  }

  void Take(const char* name, double& number) const {
    if (const json* value = Find(name)) {
      const bool fits = value->is_number() && value->get<double>() >= 0 &&
                        value->get<double>() <= 1e12;
      if (!fits) Expected(name, "a number from 0 to 1e12");
      number = value->get<double>();
    }
  }

  template <std::integral Integer>
  void Take(const char* name, Integer& count) const {
    double number = static_cast<double>(count);
    Take(name, number);
    if (number != std::floor(number) || number > 1e9) {
      Expected(name, "a whole number up to 1e9");
    }
    count = static_cast<Integer>(number);
  }

  void Take(const char* name, std::vector<std::string>& texts) const {
    const json* value = Find(name);
    if (value == nullptr) return;
    const bool fits = value->is_array() &&
                      std::ranges::all_of(
                          *value, [](const json& v) { return v.is_string(); });
    if (!fits) Expected(name, "a list of texts");
    texts = value->get<std::vector<std::string>>();
  }

  std::string Needed(const char* name) const {
    std::string text;
    Take(name, text);
    if (text.empty()) Expected(name, "a text");
    return text;
  }

  // The value that `name` names, in `choices`.
  template <class Value>
  std::optional<Value> Choice(
      const char* name,
      std::initializer_list<std::pair<std::string_view, Value>> choices) const {
    std::string text;
    Take(name, text);
    if (Find(name) == nullptr) return std::nullopt;
    std::string known;
    for (const auto& [word, value] : choices) {
      if (word == text) return value;
      known += (known.empty() ? "" : ", ") + std::string(word);
    }
    Expected(name, "one of " + known);
  }

  [[noreturn]] void Expected(const std::string& name,
                             const std::string& what) const {
    throw Nonsense{place_ + ": " + name + ": expected " + what};
  }

  const std::string& place() const { return place_; }

 private:
  const json& object_;
  std::string place_;
};

std::optional<Api> ReadApi(const Row& row) {
  return row.Choice<Api>("api", {{"chat", Api::kChat},
                                 {"responses", Api::kResponses},
                                 {"messages", Api::kMessages},
                                 {"exec", Api::kExec},
                                 {"session", Api::kSession}});
}

// Calls `member` with the name and the place of each but `api` and `answer`.
template <class Member>
void ForEachMember(ProviderRow& provider, const Member& member) {
  member("name", provider.name);
  member("base_url", provider.base_url);
  member("elsewhere", provider.elsewhere);
  member("key_env", provider.key.env);
  member("key_command", provider.key.command);
  member("headers", provider.headers);
  member("output_limit", provider.output_limit);
  member("nested_effort", provider.nested_effort);
  member("stream", provider.stream);
  member("stream_usage", provider.stream_usage);
  member("structured", provider.structured);
  member("responses", provider.responses);
  member("free", provider.free);
  member("silence_s", provider.silence_s);
  member("concurrent", provider.limits.concurrent);
  member("requests_per_minute", provider.limits.requests_per_minute);
  member("tokens_per_minute", provider.limits.tokens_per_minute);
  member("command", provider.command);
  member("env", provider.env);
  member("resume", provider.resume);
  member("writable", provider.writable);
}

ProviderRow ReadProvider(const Row& row) {
  ProviderRow provider;
  std::vector<std::string_view> known = {"api", "answer"};
  ForEachMember(provider,
                [&](const char* name, auto&) { known.push_back(name); });
  row.OnlyKnows(known);
  (void)row.Needed("name");
  provider.api = ReadApi(row).value_or(Api::kChat);
  ForEachMember(provider,
                [&](const char* name, auto& to) { row.Take(name, to); });
  provider.answer =
      row.Choice<ExecAnswer>("answer", {{"text", ExecAnswer::kText},
                                        {"claude", ExecAnswer::kClaude},
                                        {"codex", ExecAnswer::kCodex}})
          .value_or(ExecAnswer::kText);
  if (provider.RunsCommand()) {
    (void)row.Needed("command");
  } else if (!provider.base_url.starts_with("http://") &&
             !provider.base_url.starts_with("https://")) {
    row.Expected("base_url", "a URL, http:// or https://");
  }
  return provider;
}

ModelRow ReadModel(const Row& row) {
  row.OnlyKnows({"match", "api", "refuses", "structured", "output_tokens"});
  ModelRow model;
  model.match = row.Needed("match");
  model.api = ReadApi(row);
  row.Take("refuses", model.refuses);
  row.Take("structured", model.structured);
  if (row.Find("output_tokens") != nullptr) {
    std::int64_t most = 0;
    row.Take("output_tokens", most);
    model.output_tokens = most;
  }
  return model;
}

Rates ReadRates(const Row& row) {
  Rates rates;
  for (const char* name : {"input", "output"}) {
    if (row.Find(name) == nullptr) row.Expected(name, "a price");
  }
  row.Take("input", rates.input);
  row.Take("output", rates.output);
  rates.cached_input = rates.cache_write = rates.input;
  row.Take("cached_input", rates.cached_input);
  row.Take("cache_write", rates.cache_write);
  return rates;
}

Prices ReadPrices(const Row& row, const std::string& version) {
  row.OnlyKnows(
      {"model", "input", "cached_input", "cache_write", "output", "long"});
  Prices prices;
  prices.version = version;
  prices.rates = ReadRates(row);
  if (const json* beyond = row.Find("long")) {
    const Row tier(*beyond, row.place() + "/long");
    tier.OnlyKnows(
        {"input_tokens", "input", "cached_input", "cache_write", "output"});
    prices.long_rates = ReadRates(tier);
    tier.Take("input_tokens", prices.long_input_tokens);
  }
  return prices;
}

// Calls `read` with each object of a list, which may be absent.
template <class Read>
void ForEachRow(const Row& file, const char* list, const Read& read) {
  const json* rows = file.Find(list);
  if (rows == nullptr) return;
  if (!rows->is_array()) file.Expected(list, "a list");
  for (std::size_t i = 0; i < rows->size(); ++i) {
    read(
        Row((*rows)[i], file.place() + ": /" + list + "/" + std::to_string(i)));
  }
}

// "gpt-5-2025-08-07" -> "gpt-5"; "claude-haiku-4-5-20251001" likewise.
std::string_view WithoutDate(std::string_view model) {
  for (const std::string_view form : {"-dddd-dd-dd", "-dddddddd"}) {
    if (model.size() <= form.size()) continue;
    const std::string_view end = model.substr(model.size() - form.size());
    const auto same = [](char c, char f) {
      return f == 'd' ? std::isdigit(static_cast<unsigned char>(c)) != 0
                      : c == f;
    };
    if (std::ranges::equal(end, form, same)) {
      return model.substr(0, model.size() - form.size());
    }
  }
  return model;
}

bool Matches(std::string_view name, std::string_view match) {
  if (!match.ends_with('*')) return name == match || WithoutDate(name) == match;
  match.remove_suffix(1);
  return name.starts_with(match);
}

// The row with the longest match; null if none matches.
template <class Matching>
const Matching* FindLongest(const std::vector<Matching>& rows,
                            std::string_view name) {
  const Matching* longest = nullptr;
  for (const Matching& row : rows) {
    if (Matches(name, row.match) &&
        (longest == nullptr || row.match.size() > longest->match.size())) {
      longest = &row;
    }
  }
  return longest;
}

Result<std::string> ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path)) {
    return Fail(Errc::kNotFound, path.string() + ": cannot be read");
  }
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool ModelRow::Refuses(std::string_view parameter) const {
  return std::ranges::find(refuses, parameter) != refuses.end();
}

Result<ModelTable> ModelTable::Load(
    const std::filesystem::path& data_directory,
    const std::optional<std::filesystem::path>& users_file) {
  ModelTable table;
  std::vector<std::filesystem::path> paths;
  if (users_file) paths.push_back(*users_file);
  paths.push_back(data_directory / "models.json");
  for (const std::filesystem::path& path : paths) {
    TRY(text, ReadText(path));
    TRY_DONE(table.Add(text, path.string()));
  }
  return table;
}

Result<void> ModelTable::Add(std::string_view text, const std::string& name) {
  constexpr int kDepth = 8;  // Deeper than any row.
  const auto shallow = [](int depth, json::parse_event_t, json&) {
    return depth < kDepth;
  };
  const json root = json::parse(text, shallow, /*allow_exceptions=*/false,
                                /*ignore_comments=*/true);
  if (root.is_discarded()) return Fail(Errc::kUsage, name + ": no JSON");
  File file;
  try {
    const Row row(root, name);
    row.OnlyKnows({"version", "about", "providers", "models", "prices"});
    const std::string version = row.Needed("version");
    ForEachRow(row, "providers", [&](const Row& provider) {
      file.providers.push_back(ReadProvider(provider));
    });
    ForEachRow(row, "models", [&](const Row& model) {
      file.models.push_back(ReadModel(model));
    });
    ForEachRow(row, "prices", [&](const Row& price) {
      file.prices.push_back(
          {price.Needed("model"), ReadPrices(price, version)});
    });
  } catch (const Nonsense& nonsense) {
    return Fail(Errc::kUsage, nonsense.what);
  }
  files_.push_back(std::move(file));
  return {};
}

const ProviderRow* ModelTable::FindProvider(std::string_view name) const {
  for (const File& file : files_) {
    for (const ProviderRow& row : file.providers) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

const ProviderRow* ModelTable::FindElsewhere(std::string_view name) const {
  for (const File& file : files_) {
    for (const ProviderRow& row : file.providers) {
      if (row.name == name && !row.elsewhere.empty()) {
        return FindProvider(row.elsewhere);
      }
    }
  }
  return nullptr;
}

std::vector<std::string> ModelTable::ProviderNames() const {
  std::vector<std::string> names;
  for (const File& file : files_) {
    for (const ProviderRow& row : file.providers) {
      if (std::ranges::find(names, row.name) == names.end()) {
        names.push_back(row.name);
      }
    }
  }
  return names;
}

ModelRow ModelTable::Model(std::string_view name) const {
  for (const File& file : files_) {
    if (const ModelRow* row = FindLongest(file.models, name)) return *row;
  }
  return {};
}

std::optional<Prices> ModelTable::PricesOf(std::string_view model) const {
  for (const File& file : files_) {
    if (const PriceRow* row = FindLongest(file.prices, model)) {
      return row->prices;
    }
  }
  return std::nullopt;
}

}  // namespace coppice::agents
