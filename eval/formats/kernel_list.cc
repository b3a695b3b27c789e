#include "eval/formats/kernel_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "eval/formats/json_cursor.h"
#include "eval/formats/lax.h"
#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

// Names of fields, the likeliest first.
constexpr std::string_view kSources[] = {
    "custom_code", "kernel_code", "kernel",      "source",
    "code",        "CUDA_Code",   "triton_code", "solution"};
constexpr std::string_view kSpeedups[] = {"speedup", "score_default", "score",
                                          "CUDA_Speedup_Native"};
constexpr std::string_view kRuntimes[] = {"runtime",      "runtime_ms",
                                          "runtime_s",    "runtime_us",
                                          "CUDA_Runtime", "latency_ms"};
constexpr std::string_view kCorrects[] = {"correct", "correctness", "Correct",
                                          "passed"};
constexpr std::string_view kLevels[] = {"level", "level_id", "Level_ID"};
constexpr std::string_view kProblems[] = {"problem_id", "task_id", "Task_ID"};

std::string_view WithoutBlanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

// An entry, and the level whose list it is in, if the file has such.
struct Entries {
  std::vector<Json> all;
  std::vector<std::optional<std::int64_t>> levels;  // By entry; or empty.
};

Result<Entries> ParseLines(const std::string& text, const std::string& file) {
  Entries entries;
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++number;
    const std::string_view line =
        WithoutBlanks(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (line.empty()) continue;
    TRY(entry,
        ParseJson(std::string(line), file + ":" + std::to_string(number)));
    entries.all.push_back(std::move(entry));
  }
  return entries;
}

// Whether its first line is a document of its own, and not the last.
bool IsOfLines(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return text.find_first_not_of(" \t\r\n", end) != std::string_view::npos &&
         Json::accept(text.substr(0, end));
}

// {"1": [...], "2": [...]}: arrays of entries, by level.
bool IsOfLevels(const Json& document) {
  return !document.empty() && std::ranges::all_of(document, &Json::is_array);
}

Result<Entries> ReadLevels(const Json& document, const std::string& file) {
  Entries entries;
  TRY(levels, Cursor(document, file).Members());
  for (const auto& [name, list] : levels) {
    const auto level = ParseCount(name);
    if (!level) {
      return list.Wrong(
          "expected arrays by the number of a level, as \"1\": [...]");
    }
    for (const Json& entry : list.Value()) {
      entries.all.push_back(entry);
      entries.levels.push_back(level);
    }
  }
  return entries;
}

Result<Entries> ParseEntries(const std::string& text, const std::string& file) {
  // A byte order mark, as some editors write, is no JSON but is passed over.
  const std::size_t mark = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const std::size_t first = text.find_first_not_of(" \t\r\n", mark);
  if (first == std::string::npos) return Fail(Errc::kCorrupt, file + ": empty");
  if (IsOfLines(std::string_view(text).substr(first))) {
    return ParseLines(text.substr(mark), file);
  }
  TRY(document, ParseJson(text, file));
  if (document.is_array()) return Entries{document, {}};
  if (document.is_object() && IsOfLevels(document)) {
    return ReadLevels(document, file);
  }
  return Entries{{document}, {}};
}

bool AnyHas(const std::vector<Json>& entries, std::string_view name) {
  return std::ranges::any_of(entries, [&](const Json& entry) {
    return entry.contains(std::string(name));
  });
}

std::string NameOf(const std::vector<Json>& entries, const std::string& told,
                   std::span<const std::string_view> usual) {
  if (!told.empty()) return told;
  for (const std::string_view name : usual) {
    if (AnyHas(entries, name)) return std::string(name);
  }
  return "";
}

std::string MemberNames(const Json& entry) {
  std::string names;
  for (const auto& [name, value] : entry.items()) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "no members" : names;
}

// A name that is told must occur, or it is mistyped.
Result<ListFields> FindFields(const std::vector<Json>& entries,
                              const std::string& file, const ListFields& told) {
  for (const std::string& name : {told.source, told.speedup, told.runtime,
                                  told.correct, told.level, told.problem}) {
    if (!name.empty() && !AnyHas(entries, name)) {
      return Fail(Errc::kCorrupt, file + ": no entry has \"" + name +
                                      "\"; the first has " +
                                      MemberNames(entries.front()));
    }
  }
  ListFields fields{.source = NameOf(entries, told.source, kSources),
                    .speedup = NameOf(entries, told.speedup, kSpeedups),
                    .runtime = NameOf(entries, told.runtime, kRuntimes),
                    .correct = NameOf(entries, told.correct, kCorrects),
                    .level = NameOf(entries, told.level, kLevels),
                    .problem = NameOf(entries, told.problem, kProblems)};
  if (fields.source.empty()) {
    return Fail(Errc::kCorrupt, file +
                                    ": which member holds the source? The "
                                    "first entry has " +
                                    MemberNames(entries.front()) +
                                    "; --source-field names it");
  }
  return fields;
}

// None if the file has no such member.
template <class Value>
Result<std::optional<Value>> Of(
    const Cursor& entry, const std::string& name,
    Result<std::optional<Value>> (Cursor::*read)(const std::string&) const) {
  if (name.empty()) return std::optional<Value>();
  return (entry.*read)(name);
}

Result<std::optional<double>> PositiveOf(const Cursor& entry,
                                         const std::string& name) {
  const std::optional<Cursor> member = entry.Find(name);
  std::optional<double> number;
  if (member && member->Value().is_string()) {  // CUDA-L1 has "1.762".
    number = LaxNumber(member->Value().get<std::string>());
  }
  if (!number) {
    TRY_ASSIGN(number, Of(entry, name, &Cursor::OptionalNumber));
  }
  return number.value_or(0.0) > 0.0 ? number : std::nullopt;
}

Result<std::optional<std::int64_t>> CountOf(const Cursor& entry,
                                            const std::string& name) {
  const std::optional<Cursor> member = entry.Find(name);
  if (name.empty() || !member || member->Value().is_null()) {
    return std::optional<std::int64_t>();
  }
  TRY(number, member->NonNegativeInteger());
  return std::optional(number);
}

Result<ListedKernel> ReadKernel(const Cursor& entry, const ListFields& fields) {
  ListedKernel kernel;
  TRY(source, entry.OptionalString(fields.source));
  kernel.source = std::move(source).value_or("");
  TRY_ASSIGN(kernel.speedup, PositiveOf(entry, fields.speedup));
  TRY_ASSIGN(kernel.runtime, PositiveOf(entry, fields.runtime));
  TRY_ASSIGN(kernel.correct, Of(entry, fields.correct, &Cursor::OptionalBool));
  TRY_ASSIGN(kernel.level, CountOf(entry, fields.level));
  TRY_ASSIGN(kernel.problem, CountOf(entry, fields.problem));
  return kernel;
}

}  // namespace

Result<KernelList> ParseKernelList(const std::string& text,
                                   const std::string& file,
                                   const ListFields& told) {
  TRY(parsed, ParseEntries(text, file));
  const std::vector<Json>& entries = parsed.all;
  std::int64_t number = 0;
  for (const Json& entry : entries) {
    const std::string name = file + ": entry " + std::to_string(++number);
    if (!entry.is_object()) {
      return Cursor(entry, name).Wrong("expected an object");
    }
  }
  if (entries.empty()) return Fail(Errc::kCorrupt, file + ": has no entry");
  TRY(fields, FindFields(entries, file, told));
  KernelList list;
  list.fields = fields;
  number = 0;
  for (const Json& entry : entries) {
    const std::string name = file + ": entry " + std::to_string(++number);
    TRY(kernel, ReadKernel(Cursor(entry, name), fields));
    kernel.entry = number;
    if (!kernel.level && !parsed.levels.empty()) {
      kernel.level = parsed.levels[static_cast<std::size_t>(number - 1)];
    }
    if (kernel.source.empty()) {
      ++list.without_source;
    } else {
      list.kernels.push_back(std::move(kernel));
    }
  }
  return list;
}

}  // namespace coppice::eval
