#include "eval/formats/trace_directory.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "eval/formats/set_documents.h"
#include "eval/formats/set_files.h"
#include "eval/formats/trace_json.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

std::string LineOf(const Trace& trace) {
  return DocumentText(ToJson(trace)) + "\n";
}

template <class T>
Result<void> Insert(Filed<T> filed, const fs::path& file,
                    std::map<std::string, Filed<T>>& into) {
  const std::string name = filed.value.name;
  filed.file = file;
  if (into.emplace(name, std::move(filed)).second) return {};
  return Fail(Errc::kCorrupt,
              file.string() + ": /name: \"" + name + "\" is there twice");
}

Result<void> ReadDefinitions(const fs::path& root, TraceSet& set) {
  return ForEachDefinition(
      root, [&](const fs::path& file, const Json& json) -> Result<void> {
        TRY(definition,
            ReadDefinition(Cursor(json, file.string()), Rules::kTraceSet));
        return Insert<Definition>({std::move(definition),
                                   DocumentText(CanonicalDefinition(json), 2),
                                   {}},
                                  file, set.definitions);
      });
}

Result<void> ReadSolutions(const fs::path& root, TraceSet& set) {
  return ForEachSolution(
      root, [&](const fs::path& file, const Json& json) -> Result<void> {
        TRY(solution,
            ReadSolution(Cursor(json, file.string()), Rules::kTraceSet));
        return Insert<Solution>(
            {std::move(solution), DocumentText(CanonicalSolution(json), 2), {}},
            file, set.solutions);
      });
}

// Workloads or traces, each of which hold only their kind.
Result<std::vector<Trace>> ReadLines(const fs::path& root, bool workloads) {
  std::vector<Trace> traces;
  const UseLine read = [&](const Cursor& line) -> Result<void> {
    TRY(trace, ReadTrace(line));
    if (trace.IsWorkload() != workloads) {
      return line.Wrong(workloads ? "a workload has no solution and no "
                                    "evaluation"
                                  : "neither solution nor evaluation: a "
                                    "workload, which belongs in workloads/");
    }
    traces.push_back(std::move(trace));
    return {};
  };
  TRY_DONE(workloads ? ForEachWorkload(root, read) : ForEachTrace(root, read));
  return traces;
}

void FindBlobs(const fs::path& root, TraceSet& set) {
  for (const std::vector<Trace>* traces : {&set.workloads, &set.traces}) {
    for (const Trace& trace : *traces) {
      for (const auto& [name, input] : trace.workload.inputs) {
        const auto* file = std::get_if<SafetensorsInput>(&input);
        if (file == nullptr || fs::path(file->path).is_absolute()) continue;
        std::error_code ignored;
        if (!fs::is_regular_file(root / file->path, ignored)) continue;
        set.blobs.emplace(file->path, root / file->path);
      }
    }
  }
}

template <class T>
Result<void> MergeFiled(const char* kind, std::map<std::string, Filed<T>> from,
                        std::map<std::string, Filed<T>>& into) {
  for (auto& [name, filed] : from) {
    const auto [known, added] = into.emplace(name, filed);
    if (!added && known->second.text != filed.text) {
      return Fail(Errc::kUsage, std::string(kind) + " \"" + name +
                                    "\": two different ones have this name");
    }
  }
  return {};
}

Result<void> MergeWorkloads(std::vector<Trace> from, std::vector<Trace>& into) {
  std::map<std::string, std::string> known;  // By definition and uuid.
  const auto key = [](const Trace& trace) {
    return trace.definition + "\n" + trace.workload.uuid;
  };
  for (const Trace& trace : into) known.emplace(key(trace), LineOf(trace));
  for (Trace& trace : from) {
    std::string line = LineOf(trace);
    const auto [found, added] = known.emplace(key(trace), line);
    if (added) {
      into.push_back(std::move(trace));
    } else if (found->second != line) {
      return Fail(Errc::kUsage, "workload \"" + trace.workload.uuid + "\" of " +
                                    trace.definition +
                                    ": two different ones have this uuid");
    }
  }
  return {};
}

void MergeTraces(std::vector<Trace> from, std::vector<Trace>& into) {
  std::set<std::string> known;
  for (const Trace& trace : into) known.insert(LineOf(trace));
  for (Trace& trace : from) {
    if (known.insert(LineOf(trace)).second) into.push_back(std::move(trace));
  }
}

Result<void> MergeBlobs(const std::map<std::string, fs::path>& from,
                        std::map<std::string, fs::path>& into) {
  for (const auto& [name, file] : from) {
    const auto [known, added] = into.emplace(name, file);
    if (added) continue;
    TRY(same, SameBytes(known->second, file));
    if (!same) {
      return Fail(Errc::kUsage, name + ": " + known->second.string() + " and " +
                                    file.string() + " differ");
    }
  }
  return {};
}

Result<std::string> Segment(const std::string& name) {
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of(std::string_view("/\\\0", 3)) != name.npos) {
    return Fail(Errc::kUsage, "\"" + name + "\": cannot be a file's name");
  }
  return name;
}

// Writes files below a root.
class Writer {
 public:
  Writer(const TraceSet& set, const fs::path& root) : set_(set), root_(root) {}

  Result<void> WriteDefinitions() {
    for (const auto& [name, filed] : set_.definitions) {
      if (filed.value.custom_inputs_entrypoint) {
        return Fail(Errc::kUsage,
                    "\"" + name + "\": its reference's " +
                        *filed.value.custom_inputs_entrypoint +
                        " makes its inputs, which trace sets cannot say");
      }
      TRY(place, PlaceOf(name));
      TRY_DONE(Write("definitions" / place / (name + ".json"), filed.text));
    }
    return {};
  }

  Result<void> WriteSolutions() {
    for (const auto& [name, filed] : set_.solutions) {
      TRY(author, Segment(filed.value.author));
      TRY(place, PlaceOf(filed.value.definition));
      TRY(file, Segment(name));
      TRY_DONE(Write("solutions" / fs::path(author) / place /
                         filed.value.definition / (file + ".json"),
                     filed.text));
    }
    return {};
  }

  // Writes to traces/AUTHOR/, or to workloads/.
  Result<void> WriteLines(const std::vector<Trace>& traces) {
    std::map<fs::path, std::string> texts;
    for (const Trace& trace : traces) {
      TRY(place, PlaceOf(trace.definition));
      fs::path folder = "workloads";
      if (!trace.IsWorkload()) {
        TRY(author, Segment(AuthorOf(trace)));
        folder = fs::path("traces") / author;
      }
      texts[folder / place / (trace.definition + ".jsonl")] += LineOf(trace);
    }
    for (const auto& [path, text] : texts) TRY_DONE(Write(path, text));
    return {};
  }

  Result<void> CopyBlobs() {
    for (const auto& [name, file] : set_.blobs) {
      const fs::path path = fs::path(name).lexically_normal();
      if (*path.begin() == "..") {
        return Fail(Errc::kUsage, name + ": leaves the trace set");
      }
      std::error_code error;
      fs::create_directories((root_ / path).parent_path(), error);
      if (!error) fs::copy_file(file, root_ / path, error);
      if (error) {
        return Fail(Errc::kIo,
                    (root_ / path).string() + ": " + error.message());
      }
      ++written_.blobs;
    }
    return {};
  }

  WrittenFiles written() const { return written_; }

 private:
  // OP_TYPE, once the definition's name is known to be a file's too.
  Result<fs::path> PlaceOf(const std::string& definition) const {
    const auto found = set_.definitions.find(definition);
    if (found == set_.definitions.end()) {
      return Fail(Errc::kUsage, "\"" + definition + "\": no such definition");
    }
    TRY_DONE(Segment(definition));
    TRY(op_type, Segment(found->second.value.op_type));
    return fs::path(op_type);
  }

  std::string AuthorOf(const Trace& trace) const {
    const auto found = set_.solutions.find(trace.solution.value_or(""));
    return found == set_.solutions.end() ? "unknown"
                                         : found->second.value.author;
  }

  Result<void> Write(const fs::path& path, const std::string& text) {
    std::error_code error;
    fs::create_directories((root_ / path).parent_path(), error);
    std::ofstream file(root_ / path, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
      return Fail(Errc::kIo, (root_ / path).string() + ": cannot be written");
    }
    ++written_.files;
    return {};
  }

  const TraceSet& set_;
  const fs::path root_;
  WrittenFiles written_;
};

}  // namespace

Filed<Definition> FiledOf(Definition definition) {
  std::string text = DocumentText(CanonicalDefinition(ToJson(definition)), 2);
  return {std::move(definition), std::move(text), {}};
}

Filed<Solution> FiledOf(Solution solution) {
  std::string text = DocumentText(CanonicalSolution(ToJson(solution)), 2);
  return {std::move(solution), std::move(text), {}};
}

Result<TraceSet> LoadTraceSet(const fs::path& root) {
  if (std::error_code ignored; !fs::exists(root, ignored)) {
    return Fail(Errc::kNotFound, root.string() + ": no such directory");
  }
  if (!IsSet(root)) {
    return Fail(Errc::kNotFound,
                root.string() +
                    ": no trace set: it has none of definitions/, "
                    "solutions/, workloads/ and traces/");
  }
  TraceSet set;
  TRY_DONE(ReadDefinitions(root, set));
  TRY_DONE(ReadSolutions(root, set));
  TRY_ASSIGN(set.workloads, ReadLines(root, true));
  TRY_ASSIGN(set.traces, ReadLines(root, false));
  TRY_DONE(ForEachBound(
      root, [&](const std::string& definition, const std::string& workload,
                double sol_ms, double baseline_ms) {
        set.bounds[definition][workload] = {sol_ms, baseline_ms};
      }));
  FindBlobs(root, set);
  return set;
}

Result<void> Merge(TraceSet from, TraceSet& into) {
  TRY_DONE(
      MergeFiled("definition", std::move(from.definitions), into.definitions));
  TRY_DONE(MergeFiled("solution", std::move(from.solutions), into.solutions));
  TRY_DONE(MergeWorkloads(std::move(from.workloads), into.workloads));
  MergeTraces(std::move(from.traces), into.traces);
  for (auto& [definition, bounds] : from.bounds) {
    into.bounds[definition].merge(bounds);
  }
  return MergeBlobs(from.blobs, into.blobs);
}

Result<WrittenFiles> WriteTraceSet(const TraceSet& set, const fs::path& root) {
  std::error_code error;
  if (fs::exists(root, error) && !fs::is_empty(root, error)) {
    return Fail(Errc::kUsage, root.string() + ": is not empty");
  }
  fs::create_directories(root, error);
  if (error) {
    return Fail(Errc::kIo, root.string() + ": " + error.message());
  }
  Writer writer(set, root);
  TRY_DONE(writer.WriteDefinitions());
  TRY_DONE(writer.WriteSolutions());
  TRY_DONE(writer.WriteLines(set.workloads));
  TRY_DONE(writer.WriteLines(set.traces));
  TRY_DONE(writer.CopyBlobs());
  return writer.written();
}

}  // namespace coppice::eval
