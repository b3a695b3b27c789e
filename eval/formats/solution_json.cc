#include <nlohmann/json.hpp>
#include <set>

#include "eval/formats/trace_json.h"
#include "store/records/language.h"

namespace coppice::eval {
namespace {

bool StaysInside(const std::string& path) {
  if (path.starts_with('/')) return false;
  return ("/" + path + "/").find("/../") == std::string::npos;
}

Result<std::vector<SourceFile>> ReadSources(const Cursor& document) {
  TRY(place, document.Member("sources"));
  TRY(items, place.Items());
  std::vector<SourceFile> sources;
  std::set<std::string> paths;
  for (const Cursor& item : items) {
    TRY(path, item.StringMember("path"));
    TRY(content, item.StringMember("content"));
    if (!StaysInside(path)) {
      return item.Wrong("/path \"" + path + "\" leaves the solution");
    }
    if (!paths.insert(path).second) {
      return item.Wrong("/path \"" + path + "\" is there twice");
    }
    sources.push_back({.path = path, .content = content});
  }
  return sources;
}

// "file.ext::symbol", with exactly one "::".
Result<void> ReadEntryPoint(const Cursor& spec, Solution& solution) {
  TRY(place, spec.Member("entry_point"));
  TRY(text, place.NonEmptyString());
  const std::size_t split = text.find("::");
  if (split == std::string::npos || text.find("::", split + 2) != text.npos) {
    return place.Wrong("expected FILE::SYMBOL");
  }
  solution.entry_file = text.substr(0, split);
  solution.entry_symbol = text.substr(split + 2);
  for (const SourceFile& source : solution.sources) {
    if (source.path == solution.entry_file) return {};
  }
  return place.Wrong("\"" + solution.entry_file + "\" is not a source");
}

Result<std::optional<std::string>> ReadBinding(const Cursor& spec) {
  TRY(binding, spec.OptionalString("binding"));
  if (binding && *binding != "tvm-ffi" && *binding != "torch") {
    return spec.Wrong("/binding is neither \"tvm-ffi\" nor \"torch\"");
  }
  return binding;
}

Result<CompileOptions> ReadCompileOptions(const Cursor& spec) {
  CompileOptions options;
  const std::optional<Cursor> place = spec.Find("compile_options");
  if (!place || place->Value().is_null()) return options;
  for (const auto& [key, flags] :
       {std::pair("cflags", &options.cflags),
        std::pair("cuda_cflags", &options.cuda_cflags),
        std::pair("ld_flags", &options.ld_flags)}) {
    TRY_ASSIGN(*flags, place->StringsMember(key));
  }
  return options;
}

Json ToJson(const CompileOptions& options) {
  Json json = Json::object();
  if (!options.cflags.empty()) json["cflags"] = options.cflags;
  if (!options.cuda_cflags.empty()) json["cuda_cflags"] = options.cuda_cflags;
  if (!options.ld_flags.empty()) json["ld_flags"] = options.ld_flags;
  return json;
}

Result<void> ReadSpec(const Cursor& spec, Rules rules, Solution& solution) {
  TRY(language, spec.Member("language"));
  TRY(parsed, language.OneOf(kLanguageWords));
  const bool lenient = rules != Rules::kTraceSet;
  solution.language = static_cast<Language>(parsed);
  if (solution.language == Language::kSim && rules != Rules::kSimulation) {
    return language.Wrong("\"sim\" is no language of programs");
  }
  TRY(hardware, spec.Member("target_hardware"));
  TRY(targets, hardware.Strings());
  if (targets.empty() && !lenient) return hardware.Wrong("is empty");
  solution.target_hardware = std::move(targets);
  TRY_ASSIGN(solution.dependencies, spec.StringsMember("dependencies"));
  if (const std::optional<Cursor> style =
          spec.Find("destination_passing_style")) {
    TRY_ASSIGN(solution.destination_passing_style, style->Bool());
  }
  TRY_ASSIGN(solution.binding, ReadBinding(spec));
  TRY_ASSIGN(solution.compile_options, ReadCompileOptions(spec));
  if (lenient && !spec.Find("entry_point")) return {};
  return ReadEntryPoint(spec, solution);
}

}  // namespace

Result<Solution> ReadSolution(const Cursor& document, Rules rules) {
  const auto text = [&](const std::string& key) {
    return rules == Rules::kTraceSet ? document.StringMember(key)
                                     : document.StringOrEmpty(key);
  };
  Solution solution;
  TRY_ASSIGN(solution.name, text("name"));
  TRY_ASSIGN(solution.definition, text("definition"));
  TRY_ASSIGN(solution.author, text("author"));
  TRY(sources, ReadSources(document));
  if (sources.empty() && rules == Rules::kTraceSet) {
    return document.Wrong("/sources is empty");
  }
  solution.sources = std::move(sources);
  TRY(spec, document.Member("spec"));
  TRY_DONE(ReadSpec(spec, rules, solution));
  TRY_ASSIGN(solution.description, document.OptionalString("description"));
  return solution;
}

Json ToJson(const Solution& solution) {
  Json document;
  document["name"] = solution.name;
  document["definition"] = solution.definition;
  document["author"] = solution.author;
  Json& spec = document["spec"];
  spec["language"] = WordFor(solution.language);
  spec["target_hardware"] = solution.target_hardware;
  if (!solution.entry_file.empty()) {
    spec["entry_point"] = solution.entry_file + "::" + solution.entry_symbol;
  }
  spec["dependencies"] = solution.dependencies;
  if (solution.destination_passing_style) {
    spec["destination_passing_style"] = *solution.destination_passing_style;
  }
  if (solution.binding) spec["binding"] = *solution.binding;
  if (Json options = ToJson(solution.compile_options); !options.empty()) {
    spec["compile_options"] = std::move(options);
  }
  Json& sources = document["sources"] = Json::array();
  for (const SourceFile& source : solution.sources) {
    sources.push_back({{"path", source.path}, {"content", source.content}});
  }
  if (solution.description) document["description"] = *solution.description;
  return document;
}

}  // namespace coppice::eval
