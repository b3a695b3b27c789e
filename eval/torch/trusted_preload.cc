#include "eval/torch/trusted_preload.h"

#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "eval/host/machine.h"
#include "eval/host/whole_file.h"
#include "eval/judge/evaluation_session.h"

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;

constexpr char kPacked[] = "provisions.cbor";  // Of the cache's entry.

// Another compiler may have other abilities.
std::string StampOf(const fs::path& program) {
  std::error_code error;
  const auto written = fs::last_write_time(program, error);
  if (error) return "none";
  return std::to_string(written.time_since_epoch().count()) + " " +
         std::to_string(fs::file_size(program, error));
}

// All that they depend on: who asks, who is asked, and where they were tried.
std::string KeyOf(const WorkerOptions& worker) {
  const Interpreter& interpreter = worker.interpreter;
  std::string key = "provisions\n";
  for (const std::string& part :
       {interpreter.executable.string(), interpreter.version, interpreter.path,
        interpreter.torch, interpreter.triton,
        std::string(IsCpu(worker.device) ? worker.device : "cuda"),
        ProcessorName(), StampOf("/usr/bin/gcc"), StampOf("/usr/bin/g++"),
        ReadWhole(worker.scripts / "compiling.py").value_or("")}) {
    key += part + "\n";
  }
  return key;
}

bool IsOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// torch.compile, a module's own compile(), or that it is imported; not Python's
// nor that of regular expressions.
bool MentionsTorchsCompile(const std::string& source) {
  constexpr std::string_view kWord = "compile";
  for (std::size_t at = source.find(kWord); at != std::string::npos;
       at = source.find(kWord, at + kWord.size())) {
    const std::size_t end = at + kWord.size();
    if (end < source.size() && IsOfName(source[end])) continue;
    const std::size_t begin = source.rfind('\n', at) + 1;  // Of its line.
    const std::string_view before(&source[begin], at - begin);
    if (before.find("from torch import") != before.npos) return true;
    const bool is_expression =
        before.ends_with("re.") &&
        (before.size() == 3 || !IsOfName(before[before.size() - 4]));
    if (before.ends_with('.') && !is_expression) return true;
  }
  return false;
}

}  // namespace

MentionedCompilers ToolsOf(const std::string& source,
                           const std::string& device) {
  const auto mentions = [&](const char* word) {
    return source.find(word) != std::string::npos;
  };
  const bool torch = MentionsTorchsCompile(source);
  // On "cpu:0", which tests take for a device, there is no Triton.
  return {.triton = device != "cpu" && (torch || mentions("triton")),
          .torch = torch};
}

std::string EquipOrder(const MentionedCompilers& tools,
                       const std::string& device) {
  return nlohmann::json{
      {"triton", tools.triton}, {"torch", tools.torch}, {"device", device}}
      .dump();
}

bool TrustedPreload::Find(const WorkerOptions& worker) {
  const auto cache = CompileCache::Open(worker.caches, cache_bytes_);
  if (!cache) return false;
  const auto entry = cache->Find(KeyOf(worker));
  if (!entry) return false;
  const auto bytes = ReadWhole(*entry / kPacked);
  if (!bytes) return false;
  const auto packed = nlohmann::json::from_cbor(*bytes, true,
                                                /*allow_exceptions=*/false);
  if (!packed.is_object()) {  // Damaged: it would never be replaced.
    std::error_code gone;
    fs::remove_all(*entry, gone);
    return false;
  }
  for (const auto& [name, value] : packed.items()) {
    if (!value.is_binary()) continue;
    const auto& file = value.get_binary();
    files_.push_back({name, {file.begin(), file.end()}});
  }
  return !files_.empty();
}

Result<void> TrustedPreload::Begin(const WorkerOptions& worker) {
  if (failed_ || !files_.empty() || provider_ != nullptr || Find(worker)) {
    return {};
  }
  TRY_ASSIGN(folder_, ScratchFolder::Create(worker.caches));
  WorkerOptions options = worker;
  options.provided = folder_.path();
  TRY_ASSIGN(provider_, Worker::Launch(options, WorkerRole::kProvider));
  return {};
}

Result<Reaction> TrustedPreload::Make(const WorkerOptions& worker) {
  TRY_DONE(Begin(worker));
  if (failed_) return *failed_;
  if (provider_ == nullptr) return Reaction{};
  const std::unique_ptr<Worker> provider = std::move(provider_);
  const ScratchFolder folder = std::move(folder_);
  TRY_DONE(provider->Ready());
  // On a device torch.compile loads nothing but what Triton does.
  const bool is_host = worker.device == "cpu";
  TRY(made, provider->Ask({.kind = WorkerRequestKind::kEquip},
                          EquipOrder({.triton = !is_host, .torch = is_host},
                                     worker.device)));
  if (made.raised) {
    TRY_DONE(CheckRoom(worker.caches, kLeastBuildingRoom));
    made.verdict = Verdict::kCompileFailed;
    made.log += Quote(provider->Output());
    failed_ = made;
    return made;
  }
  if (made.verdict != Verdict::kPassed) {  // No candidate was there.
    return Fail(Errc::kUnavailable,
                "what Triton and torch.compile load: " + made.log);
  }
  TRY_ASSIGN(files_, FilesOf(folder.path()));
  static_cast<void>(Keep(worker));  // Or they are made again.
  return made;
}

// One file, since that is what the cache keeps whole.
Result<void> TrustedPreload::Keep(const WorkerOptions& worker) const {
  auto packed = nlohmann::json::object();
  for (const File& file : files_) {
    packed[file.name] = nlohmann::json::binary(
        std::vector<std::uint8_t>(file.bytes.begin(), file.bytes.end()));
  }
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(packed);
  TRY(cache, CompileCache::Open(worker.caches, cache_bytes_));
  TRY(build, BuildDirectory::Make(cache.directory()));
  TRY_DONE(WriteWhole(build.Product() / kPacked,
                      std::string(bytes.begin(), bytes.end())));
  TRY_DONE(cache.Keep(build, KeyOf(worker), kPacked));
  return {};
}

Result<std::vector<TrustedPreload::File>> TrustedPreload::FilesOf(
    const fs::path& folder) {
  std::vector<File> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    std::error_code gone;
    if (!fs::is_regular_file(entry->symlink_status(gone))) continue;
    TRY(bytes, ReadWhole(entry->path()));
    files.push_back(
        {entry->path().lexically_relative(folder).string(), std::move(bytes)});
  }
  if (error) return Fail(Errc::kIo, folder.string() + ": " + error.message());
  return files;
}

Result<void> TrustedPreload::PutInto(const fs::path& folder) const {
  for (const File& file : files_) {
    const fs::path path = folder / file.name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    TRY_DONE(WriteWhole(path, file.bytes));
  }
  return {};
}

}  // namespace coppice::eval::torch
