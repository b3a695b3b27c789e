#include "engine/factory/campaign_factory.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "agents/provider/providers.h"
#include "agents/provider/retrying_model.h"
#include "agents/provider/session_transport.h"
#include "config/continue.h"
#include "config/model_list.h"
#include "engine/campaign/named_agents.h"
#include "engine/campaign/policy_terms.h"
#include "engine/campaign/stop_rules.h"
#include "engine/campaign/torch_baselines.h"
#include "engine/factory/agent_models.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/process/installation.h"
#include "eval/formats/eval_config.h"
#include "eval/formats/set_documents.h"
#include "eval/formats/task_folder.h"
#include "eval/formats/trace_set.h"
#include "eval/host/devices.h"
#include "eval/host/machine.h"
#include "eval/host/whole_file.h"
#include "eval/judge/same_task.h"
#include "eval/torch/definition_syntax.h"
#include "eval/torch/gpu_mode.h"
#include "eval/torch/kernelbench.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/trace_task.h"
#include "store/records/nearest_name.h"
#include "store/records/ticket.h"

namespace coppice::engine {
namespace fs = std::filesystem;
namespace {

// The trace sets that come with the program, by device.  Their definitions
// have different names.
constexpr std::string_view kTaskSets[] = {"cpu", "cuda"};

bool IsCpu(const std::string& devices) { return devices.starts_with("cpu"); }

constexpr Role kRoles[] = {Role::kPlan, Role::kCode, Role::kDebug};

constexpr std::string_view kKernelBench = "kernelbench:";
constexpr std::string_view kFlashInferBench = "fib:";
constexpr std::string_view kGpuMode = "gpumode:";

// Those that are there: a user's own data may be for one device.  The first is
// missed by whoever reads it.
std::vector<fs::path> TaskSetsIn(const fs::path& data_directory) {
  std::vector<fs::path> sets;
  for (const std::string_view folder : kTaskSets) {
    fs::path set = data_directory / folder;
    std::error_code error;
    if (sets.empty() || fs::exists(set, error)) sets.push_back(std::move(set));
  }
  return sets;
}

// "kernelbench:x.py" of "kernelbnch:x.py", unless that is in a directory.
std::optional<std::string> NearestPrefixed(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (std::error_code error; fs::exists(name.substr(0, colon), error)) {
    return std::nullopt;
  }
  const auto prefix =
      NearestName(name.substr(0, colon),
                  {"kernelbench", "fib", "gpumode", "sim", "recorded"});
  return prefix ? std::optional(*prefix + name.substr(colon)) : std::nullopt;
}

// The nearest to a name without a colon.
std::optional<std::string> NearestTask(const std::string& name,
                                       const std::vector<std::string>& names) {
  if (name.ends_with(".py")) return std::string(kKernelBench) + name;
  if (name.ends_with(".json")) return std::string(kFlashInferBench) + name;
  return NearestName(name, names);
}

// The folder of a task that is written as one: named as it is, or, as one of
// several in a folder, FOLDER:NAME. A task that comes with the program is
// called by its bare name, so that a folder of that name needs a slash.
std::optional<fs::path> FolderOf(const std::string& name) {
  if (name.find('/') != std::string::npos && eval::IsTaskFolder(name)) {
    return name;
  }
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  const fs::path set = name.substr(0, colon);
  const fs::path folder = set / name.substr(colon + 1);
  if (!eval::IsSet(set) && eval::IsTaskFolder(folder)) return folder;
  return std::nullopt;
}

// The problem that is written as `coppice new` does: ./NAME has a NAME.py.
std::optional<fs::path> ProblemIn(const std::string& name) {
  if (name.find('/') == name.npos || eval::IsTaskFolder(name)) {
    return std::nullopt;
  }
  const fs::path folder = fs::path(name + "/").lexically_normal().parent_path();
  const fs::path file = folder / (folder.filename().string() + ".py");
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  return file;
}

Result<Task> LoadFolder(const fs::path& folder) {
  auto task = eval::LoadTaskFolder(folder);
  if (task) return task;
  return Fail(Errc::kUsage, task.error().what);  // The user's own files.
}

Error NoSuchTask(const std::string& name,
                 const std::optional<std::string>& nearest) {
  std::error_code error;
  if (eval::IsProblemFolder(name)) {
    return {Errc::kUsage,
            name + ": no such task; did you mean fib:" + name + "?"};
  }
  if (fs::exists(fs::path(name) / "definition.json", error)) {
    return {Errc::kUsage,
            name +
                ": has a definition.json, but neither workloads.jsonl nor "
                "root.cc; docs/your_own_kernel.md says what a task's folder "
                "has"};
  }
  if (name.ends_with(".cc") || name.ends_with(".cu")) {
    return {Errc::kUsage, name + ": is a kernel and no task; `coppice new " +
                              name +
                              "` makes a task of it, and `coppice eval TASK " +
                              name + "` judges it"};
  }
  return {Errc::kUsage,
          name + ": no such task; " +
              (nearest ? "did you mean " + *nearest + "?"
                       : "`coppice task list` lists them; there are also "
                         "kernelbench:FILE, fib:FILE, gpumode:FOLDER, "
                         "./FOLDER, DIRECTORY:NAME, sim:LANDSCAPE and "
                         "recorded:SPACE")};
}

store::Cap CapOf(std::optional<double> tokens, std::optional<double> usd) {
  store::Cap cap;
  if (tokens) cap.tokens = static_cast<std::int64_t>(*tokens);
  cap.usd = usd;
  return cap;
}

store::Caps CapsOf(const config::Settings& settings) {
  return {CapOf(settings.cap_tokens, settings.cap_usd),
          {CapOf(settings.plan_cap_tokens, settings.plan_cap_usd),
           CapOf(settings.code_cap_tokens, settings.code_cap_usd),
           CapOf(settings.debug_cap_tokens, settings.debug_cap_usd)},
          CapOf(settings.day_cap_tokens, settings.day_cap_usd),
          settings.settle_after_s};
}

agents::WindowOptions WindowOf(const config::Settings& settings) {
  return {
      static_cast<int>(settings.window_history),
      static_cast<int>(settings.window_leaders),
      settings.window_cap == "all" ? agents::Cap::kAll : agents::Cap::kOthers,
      settings.window_leaders_rule == "board" ? agents::Leaders::kBoard
                                              : agents::Leaders::kOutside};
}

agents::RequestOptions RequestOptionsOf(const config::Settings& settings) {
  agents::RequestOptions request_options;
  if (settings.system_message == "v1") {
    request_options.system_message = agents::SystemMessage::kV1;
  } else if (settings.system_message == "v2") {
    request_options.system_message = agents::SystemMessage::kV2;
  }
  if (settings.grounding == "required") {
    request_options.grounding = agents::Grounding::kRequired;
  } else if (settings.grounding == "off") {
    request_options.grounding = agents::Grounding::kOff;
  }
  return request_options;
}

Delegation DelegationOf(const config::Settings& settings) {
  if (settings.delegation == "no_vendor_op") return Delegation::kNoVendorOp;
  if (settings.delegation == "own_kernels") return Delegation::kOwnKernels;
  return Delegation::kAny;
}

DType PrecisionOf(const config::Settings& settings) {
  if (settings.precision == "float16") return DType::kFloat16;
  if (settings.precision == "bfloat16") return DType::kBFloat16;
  return DType::kFloat32;
}

// By the rules of which benchmark a task may be judged beside ours; empty:
// none.
std::string_view ProtocolFor(TaskFormat format) {
  switch (format) {
    case TaskFormat::kNative:
    case TaskFormat::kGpuMode:
      return "";
    case TaskFormat::kKernelBench:
      return "kernelbench";
    case TaskFormat::kFlashInferBench:
      return "flashinfer-bench";
  }
  return "";
}

Result<Protocol> ProtocolOf(const config::Settings& settings, TaskFormat format,
                            const std::string& task) {
  if (settings.protocol == "coppice") return Protocol::kCoppice;
  const std::string_view own = ProtocolFor(format);
  if (settings.protocol == own) return Protocol::kBenchmark;
  return Fail(Errc::kUsage, "--protocol " + settings.protocol + ": " + task +
                                " is judged by coppice" +
                                (own.empty() ? "" : " or " + std::string(own)));
}

std::vector<config::Override> StoredOf(const store::CampaignSpec& campaign) {
  std::vector<config::Override> stored;
  for (const store::Setting& setting : campaign.settings) {
    stored.push_back({setting.key, setting.value});
  }
  return stored;
}

// What the settings say of a provider; of others the table says all.
agents::ProviderSettings ProviderSettingsOf(const config::Settings& settings,
                                            const std::string& provider) {
  agents::ProviderSettings chosen;
  chosen.structured = settings.answers == "auto";
  if (provider == "openai") {
    chosen.base_url = settings.openai_base_url;
    chosen.key = {settings.openai_api_key_env,
                  settings.openai_key_command.value_or("")};
  } else if (provider == "anthropic") {
    chosen.base_url = settings.anthropic_base_url;
    chosen.key = {settings.anthropic_api_key_env,
                  settings.anthropic_key_command.value_or("")};
  }
  return chosen;
}

// Whom a provider's limits are on: all who ask the same server with the same
// key, by the same table.
std::string AccountOf(const config::Settings& settings,
                      const std::string& provider) {
  const agents::ProviderSettings chosen =
      ProviderSettingsOf(settings, provider);
  std::string account;
  for (const std::string& part :
       {provider, chosen.base_url, chosen.key.env, chosen.key.command,
        settings.models_file.value_or("")}) {
    account += part + '\n';
  }
  return account;
}

// All that makes one model another.
std::string SpecOf(const config::Settings& settings,
                   const config::ModelChoice& choice) {
  std::string spec = AccountOf(settings, choice.provider);
  for (const std::string& part :
       {choice.model, settings.answers, settings.record.value_or(""),
        std::to_string(settings.model_timeout_s),
        std::to_string(settings.model_retries.value_or(-1))}) {
    spec += part + '\n';
  }
  return spec;
}

bool IsInPyTorch(const Task& task) {
  return task.format != TaskFormat::kNative;
}

std::optional<eval::Device> FirstOf(const std::vector<eval::Device>& devices) {
  return devices.empty() ? std::nullopt : std::optional(devices.front());
}

// The driver tells of devices, but none is visible.
bool HidesDevices() {
  const auto visible = eval::VisibleDevices();
  return !visible && visible.error().code == Errc::kNotFound;
}

// The version of the templates that lie beside the folders of older ones.
constexpr std::string_view kPromptsOfToday = "v2";

// The embedded agents answer for nothing, and the same again.
bool IsEmbedded(const config::ModelChoice& choice) {
  return choice.provider == "catalogue";
}

// Who asks for attempts instead of being asked (engine/outside/).
bool IsOutside(const config::ModelChoice& choice) {
  return choice.provider == kOutsideProvider;
}

// In the place of a model that is never asked.
class Outsider final : public agents::Model {
 public:
  std::string_view Provider() const override { return kOutsideProvider; }
  std::string_view ModelName() const override { return ""; }
  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& /*request*/) override {
    return Fail(Errc::kUsage,
                "its agents are outside: they ask by `coppice ticket ask`");
  }
};

// The embedded agents of a landscape are its own.
bool IsSimulated(const Task& task, const config::ModelChoice& choice) {
  return task.root.language == Language::kSim && IsEmbedded(choice);
}

// The roster of a role with several models.
Roster RosterOf(const config::Settings& settings, Role role,
                std::vector<Agent> agents) {
  Roster roster;
  roster.role = role;
  config::ModelList models;
  for (const AgentSettings& agent : SettingsOfAgents(settings, role)) {
    roster.names.push_back(config::NameOf(agent.model));
    models.push_back(agent.model);
  }
  roster.models = config::Print(models);
  roster.agents = std::move(agents);
  return roster;
}

}  // namespace

Result<std::unique_ptr<CampaignFactory>> CampaignFactory::Make(
    const config::Loaded& loaded, fs::path runner, const Clock& clock,
    const std::atomic<bool>& drain, Outages* outages) {
  const config::Settings& settings = loaded.settings;
  LendPolicy(settings.policy, settings);
  TRY_DONE(ParseTorchBaselines(settings.baselines));
  TRY_DONE(
      search::MakeModelRule(settings.model_choice).map([](const auto&) {}));
  if (settings.stop_at_baseline) {
    TRY_DONE(StoredBaseline(*settings.stop_at_baseline));
  }
  std::unique_ptr<CampaignFactory> factory(
      new CampaignFactory(loaded, std::move(runner), clock, drain, outages));
  TRY_DONE(factory->PromptsOf(settings));
  return factory;
}

Result<const agents::PromptTemplates*> CampaignFactory::PromptsOf(
    const config::Settings& settings) {
  const std::string& name = settings.prompts;
  const auto known = prompts_.find(name);
  if (known != prompts_.end()) return &known->second;
  const fs::path ours = settings.data_directory / "prompts";
  const bool is_name = name.find('/') == name.npos && !name.starts_with('.');
  const bool is_version = is_name && !name.empty() && fs::exists(ours / name);
  fs::path directory = is_version ? ours / name : fs::path(name);
  std::string set = name;
  if (name == kPromptsOfToday) {
    directory = ours;
    const bool is_users = config::IsGiven(loaded_, "data_directory");
    set = is_users ? ours.string() : "coppice";
  } else if (!fs::is_directory(directory)) {
    return Fail(Errc::kUsage, "prompts: " + name +
                                  ": neither v1 nor v2, nor a folder of "
                                  "templates");
  }
  TRY(templates,
      agents::PromptTemplates::Load(directory, std::move(set), ours));
  return &prompts_.emplace(name, std::move(templates)).first->second;
}

CampaignFactory::CampaignFactory(const config::Loaded& loaded, fs::path runner,
                                 const Clock& clock,
                                 const std::atomic<bool>& drain,
                                 Outages* outages)
    : loaded_(loaded),
      settings_(loaded.settings),
      runner_(std::move(runner)),
      clock_(clock),
      drain_(drain),
      timer_(clock),
      own_outages_(timer_, drain),
      outages_(outages == nullptr ? own_outages_ : *outages),
      prewarmed_workers_(std::make_shared<eval::torch::PrewarmedWorkers>()) {}

Result<Task> CampaignFactory::FindTask(const std::string& name) const {
  if (name.starts_with(kKernelBench)) {
    return FindKernelBenchTask(name.substr(kKernelBench.size()));
  }
  if (name.starts_with(kGpuMode)) {
    return FindGpuModeTask(name.substr(kGpuMode.size()));
  }
  if (const auto problem = ProblemIn(name)) {
    return FindKernelBenchTask(problem->string());
  }
  TRY(task, FindDocumentedTask(name));
  TRY(protocol, ProtocolOf(settings_, task.format, name));
  TRY_DONE(MustHaveNoPrecision(name));
  TRY_DONE(CheckEvalConfig(name, task.format, protocol));
  task.protocol = protocol;
  const Delegation delegation = DelegationOf(settings_);
  if (task.format != TaskFormat::kFlashInferBench) {
    if (delegation == Delegation::kAny ||
        !config::SaidBy(loaded_, "delegation")) {
      return task;
    }
    return Fail(Errc::kUsage, "--delegation " + settings_.delegation + ": " +
                                  name +
                                  " is not in PyTorch; a rule is chosen for "
                                  "candidates that could call its operations");
  }
  task.delegation = delegation;
  if (protocol == Protocol::kBenchmark &&
      task.definition.op_type == "sampling") {
    return Fail(Errc::kUsage,
                "--protocol flashinfer-bench: " + name +
                    ": of op_type sampling the distribution of 500,000 draws "
                    "is judged there, which coppice does not do; --protocol "
                    "coppice judges the samples of each call");
  }
  if (protocol == Protocol::kBenchmark &&
      task.definition.name.starts_with("dsa_topk_indexer")) {
    return Fail(Errc::kUsage,
                "--protocol flashinfer-bench: " + name +
                    ": of indices like these the scores that they have are "
                    "compared there, which coppice does not do; --protocol "
                    "coppice compares the indices");
  }
  if (protocol == Protocol::kBenchmark) {
    TRY(config, EvalConfigFor(task.definition));
    task.eval_config = config;
  }
  return task;
}

// Files of settings may speak of other tasks.
Result<void> CampaignFactory::CheckEvalConfig(const std::string& name,
                                              TaskFormat format,
                                              Protocol protocol) const {
  const bool is_theirs = format == TaskFormat::kFlashInferBench &&
                         protocol == Protocol::kBenchmark;
  if (is_theirs || !config::SaidBy(loaded_, "eval_config")) return {};
  return Fail(Errc::kUsage,
              "--eval-config: is of --protocol flashinfer-bench, by which " +
                  name + " is not judged");
}

Result<EvalConfig> CampaignFactory::EvalConfigFor(
    const Definition& definition) const {
  if (!settings_.eval_config) return eval::BundledEvalConfig(definition);
  const std::string& file = *settings_.eval_config;
  const auto config =
      eval::ReadWhole(file).and_then([&](const std::string& text) {
        return eval::EvalConfigOf(text, file, definition);
      });
  if (config) return *config;
  return Fail(Errc::kUsage, config.error().what);  // The user's own file.
}

Result<Task> CampaignFactory::FindDocumentedTask(
    const std::string& name) const {
  if (LandscapeTasks::IsOne(name)) {
    return LandscapeTasks(settings_.data_directory).Find(name);
  }
  const bool is_theirs = name.starts_with(kFlashInferBench);
  if (const auto folder = FolderOf(name)) return LoadFolder(*folder);
  if (name == kFlashInferBench) {
    return Fail(Errc::kUsage, name +
                                  " names no file; there is "
                                  "fib:SET/definitions/OP_TYPE/NAME.json");
  }
  const std::size_t colon = name.rfind(':');
  if (colon != std::string::npos) {
    const auto nearest = is_theirs ? std::nullopt : NearestPrefixed(name);
    if (nearest) return tl::unexpected<Error>(NoSuchTask(name, nearest));
    auto task =
        is_theirs
            ? eval::LoadTaskOf(name.substr(kFlashInferBench.size()))
            : eval::LoadTask(name.substr(0, colon), name.substr(colon + 1));
    auto checked = task ? CheckSyntax(name, *task) : Result<void>();
    if (!checked) task = tl::unexpected<Error>(checked.error());
    if (task || task.error().code != Errc::kCorrupt) return task;
    return Fail(Errc::kUsage, task.error().what);  // The user's own file.
  }
  std::vector<std::string> names;
  for (const fs::path& set : TaskSetsIn(settings_.data_directory)) {
    TRY(of_set, eval::ListDefinitions(set));
    if (std::ranges::binary_search(of_set, name)) {
      return eval::LoadTask(set, name);
    }
    std::ranges::move(of_set, std::back_inserter(names));
  }
  if (eval::IsTaskFolder(name)) return LoadFolder(name);
  return tl::unexpected<Error>(NoSuchTask(name, NearestTask(name, names)));
}

// Without a Python, only what needs none goes on.
Result<void> CampaignFactory::CheckSyntax(const std::string& name,
                                          const Task& task) const {
  const std::string place = name.starts_with(kFlashInferBench)
                                ? name.substr(kFlashInferBench.size())
                                : name;
  auto checked = eval::torch::CheckSyntax(PythonFor(settings_.python, runner_),
                                          {{place, &task.definition}});
  if (!checked && checked.error().code == Errc::kUnavailable) return {};
  return checked;
}

Result<Task> CampaignFactory::FindKernelBenchTask(
    const std::string& file) const {
  if (file.empty()) {
    return Fail(Errc::kUsage,
                "kernelbench: names no file; there is "
                "kernelbench:KernelBench/level1/19_ReLU.py");
  }
  TRY(protocol, ProtocolOf(settings_, TaskFormat::kKernelBench,
                           std::string(kKernelBench) + file));
  TRY_DONE(CheckEvalConfig(std::string(kKernelBench) + file,
                           TaskFormat::kKernelBench, protocol));
  TRY(devices, DevicesOfTorch());
  TRY(options, PythonOptions(FirstOf(devices)));
  return eval::LoadKernelBenchTask(
      options, file, protocol, DelegationOf(settings_), PrecisionOf(settings_));
}

Result<Task> CampaignFactory::FindGpuModeTask(const std::string& folder) const {
  if (folder.empty()) {
    return Fail(Errc::kUsage,
                "gpumode: names no folder; there is "
                "gpumode:problems/pmpp/vectoradd_py");
  }
  const std::string name = std::string(kGpuMode) + folder;
  TRY_DONE(ProtocolOf(settings_, TaskFormat::kGpuMode, name));
  TRY_DONE(MustHaveNoPrecision(name));
  TRY(devices, DevicesOfTorch());
  TRY(options, PythonOptions(FirstOf(devices)));
  return eval::LoadGpuModeTask(options, folder, DelegationOf(settings_));
}

// A file of settings speaks of tasks of any kind.
Result<void> CampaignFactory::MustHaveNoPrecision(
    const std::string& name) const {
  if (PrecisionOf(settings_) == DType::kFloat32 ||
      !config::SaidBy(loaded_, "precision")) {
    return {};
  }
  return Fail(Errc::kUsage, "--precision " + settings_.precision + ": " + name +
                                " has types of its own; a precision is "
                                "chosen for problems of KernelBench");
}

eval::MachineLoadOptions CampaignFactory::WaitForQuiet() const {
  return {.most_s = settings_.quiet_wait_s,
          .waits =
              [this](const std::string& what) {
                return outages_.MeetNoise("this machine is not quiet: " + what,
                                          settings_.quiet_wait_s);
              },
          .goes_on = [this] { outages_.FindQuiet(); }};
}

Result<eval::PythonEvaluatorOptions> CampaignFactory::PythonOptions(
    const std::optional<eval::Device>& gpu) const {
  eval::PythonEvaluatorOptions options;
  const fs::path here = runner_.parent_path();
  options.scripts = here / "coppice-python";
  options.cache_directory = settings_.cache_directory;
  options.cache_bytes =
      static_cast<std::uintmax_t>(settings_.cache_limit_mb) * 1'000'000;
  options.threads = static_cast<int>(settings_.threads);
  options.load_timeout_s = settings_.compile_timeout_s;
  options.call_timeout_s = settings_.call_timeout_s;
  // What the user said holds for any task.
  options.load_limit_grows = !config::IsGiven(loaded_, "compile_timeout_s");
  options.call_limit_grows = !config::IsGiven(loaded_, "call_timeout_s");
  options.python = PythonFor(settings_.python, runner_);
  // With "auto" a torch that can use no GPU takes none.
  options.device = settings_.devices;
  if (gpu && options.device != "auto") options.device = "cuda:0";
  if (!gpu && HidesDevices()) options.device = "cpu";
  options.gpu = gpu;
  options.quiet = WaitForQuiet();
  options.onlookers = onlookers_;
  options.checks_only = checks_only_;
  options.cancelled = cancelled_;
  options.shapes_seed = shapes_seed_;
  TRY(devices, DevicesOfTorch());
  if (!gpu || gpu->uuid == devices.front().uuid)
    options.prewarmed_workers = prewarmed_workers_;
  return options;
}

Result<Task> CampaignFactory::TaskOf(const store::CampaignSpec& spec) const {
  if (!LandscapeTasks::IsOne(spec.task_name)) {
    return eval::ParseTask(spec.task_json);
  }
  TRY(task, FindTask(spec.task_name));
  TRY(then, eval::ParseTask(spec.task_json));
  if (eval::SourceOf(task.root) == eval::SourceOf(then.root)) return task;
  return Fail(Errc::kUsage, spec.task_name + ": is another table than when " +
                                spec.name + " started");
}

Result<std::vector<std::string>> CampaignFactory::TaskNames() const {
  std::vector<std::string> names;
  for (const fs::path& set : TaskSetsIn(settings_.data_directory)) {
    TRY(of_set, eval::ListDefinitions(set));
    std::ranges::move(of_set, std::back_inserter(names));
  }
  return names;
}

Result<std::vector<Task>> CampaignFactory::BuiltInTasks() const {
  std::vector<Task> tasks;
  for (const fs::path& set : TaskSetsIn(settings_.data_directory)) {
    TRY(of_set, eval::LoadTasks(set));
    std::ranges::move(of_set, std::back_inserter(tasks));
  }
  return tasks;
}

Result<std::vector<std::string>> CampaignFactory::TasksOfLevel(
    const std::string& level, Language language) const {
  TRY(tasks, BuiltInTasks());
  std::vector<std::string> chosen;
  for (Task& task : tasks) {
    if (task.root.language == language &&
        TagValue(task.definition, "level") == level) {
      chosen.push_back(std::move(task.definition.name));
    }
  }
  return chosen;
}

Result<void> CampaignFactory::Prepare(const Task& task,
                                      const std::string& policy) {
  TRY_DONE(search::MakePolicy(policy).map([](const auto&) {}));
  const config::Settings settings = WithAgentModels(task, settings_);
  for (const Role role : kRoles) TRY_DONE(AgentsFor(task, settings, role));
  TRY(baselines, ParseTorchBaselines(settings_.baselines));
  if (!baselines.empty()) TRY_DONE(CandidateOf(baselines.front(), task));
  TRY_DONE(EvaluatorFor(task));
  return {};
}

Result<config::Settings> CampaignFactory::SettingsOf(
    const store::CampaignSpec& campaign) const {
  auto settings = config::Continue(loaded_, StoredOf(campaign));
  if (settings) return settings;
  return Fail(settings.error().code,
              campaign.name + ": " + settings.error().what);
}

Result<config::Settings> CampaignFactory::SettingsToGoOn(
    const store::CampaignSpec& campaign) const {
  if (auto said = config::CheckSaid(loaded_, StoredOf(campaign)); !said) {
    return Fail(said.error().code, campaign.name + ": " + said.error().what);
  }
  return SettingsOf(campaign);
}

CampaignFacts CampaignFactory::BackdropOf(const Task& task,
                                          const store::CampaignRow& campaign,
                                          const config::Settings& settings,
                                          store::Database& database) const {
  return {.database = database,
          .task = task,
          .campaign = campaign.id,
          .seed = campaign.spec.seed,
          .window = WindowOf(settings),
          .hardware = eval::ProcessorName(),
          .threads = static_cast<int>(settings.threads),
          .request_options = RequestOptionsOf(settings),
          .budget = campaign.spec.budget_attempts};
}

Result<CampaignParts> CampaignFactory::Equip(
    const Task& task, const store::CampaignSpec& campaign,
    store::Database& database) {
  TRY(said, SettingsToGoOn(campaign));
  const config::Settings settings = WithAgentModels(task, std::move(said));
  TRY(chosen, PolicyNamed(store::PolicyOf(campaign)));
  TRY(rule, ModelRuleNamed(settings.model_choice));
  std::vector<Roster> rosters;
  std::vector<Agent> first;  // By role.
  for (const Role role : kRoles) {
    TRY(agents, AgentsFor(task, settings, role));
    first.push_back(agents.front());
    if (agents.size() == 1) continue;
    rosters.push_back(RosterOf(settings, role, std::move(agents)));
  }
  TRY(stations, StationsFor(task));
  TRY(prompts, PromptsOf(settings));
  named_.push_back(std::make_unique<NamedAgents>(
      [this, &task, settings](Role role, const std::string& model) {
        return AgentNamed(task, settings, role, model);
      }));
  return CampaignParts{database,
                       task,
                       *chosen,
                       first[0],
                       first[1],
                       first[2],
                       *prompts,
                       std::move(stations),
                       clock_,
                       WindowOf(settings),
                       eval::ProcessorName(),
                       static_cast<int>(settings.threads),
                       settings.agents,
                       CapsOf(settings),
                       settings.budget_evaluator_s,
                       RequestOptionsOf(settings),
                       {},
                       settings.tuning_trials,
                       std::move(rosters),
                       rule,
                       named_.back().get()};
}

Result<Agent> CampaignFactory::AgentNamed(const Task& task,
                                          config::Settings settings, Role role,
                                          const std::string& model) {
  TRY(models, config::ParseModelList(model));
  (role == Role::kPlan   ? settings.plan_model
   : role == Role::kCode ? settings.code_model
                         : settings.debug_model) = models;
  config::Settings alone = settings;
  alone.plan_model = alone.code_model = alone.debug_model = models;
  TRY_DONE(CheckAgents(task, alone, 1));
  TRY(agents, AgentsFor(task, settings, role));
  return agents.front();
}

Result<std::vector<Agent>> CampaignFactory::AgentsFor(
    const Task& task, const config::Settings& settings, Role role) {
  std::vector<Agent> agents;
  for (const AgentSettings& chosen : SettingsOfAgents(settings, role)) {
    TRY(model, ModelFor(task, settings, chosen.model));
    TRY(heeds, WhatItHeeds(settings, chosen.model));
    TRY_DONE(CheckEffort(chosen, heeds.effort));
    Agent& agent = agents.emplace_back();
    agent.model = model;
    agent.sampling.temperature = chosen.temperature;
    agent.sampling.effort = chosen.effort;
    agent.sampling.max_output_tokens =
        static_cast<int>(settings.max_output_tokens);
    agent.is_language_model =
        !IsEmbedded(chosen.model) && !IsOutside(chosen.model);
    TRY(office, OfficeFor(settings, chosen.model));
    agent.office = office;
  }
  return agents;
}

Result<const sessions::SessionServices*> CampaignFactory::OfficeFor(
    const config::Settings& settings, const config::ModelChoice& choice) {
  const sessions::SessionServices* none = nullptr;
  if (IsEmbedded(choice) || IsOutside(choice) || choice.provider == "replay" ||
      choice.provider == "exec") {
    return none;
  }
  TRY(table, TableOf(settings));
  if (!agents::IsSession(*table, choice.provider)) return none;
  if (judging_ == nullptr) {
    judging_ = std::make_unique<sessions::Judging>(loaded_, runner_, clock_);
  }
  auto office = std::make_unique<sessions::SessionServices>();
  office->folder = settings_.cache_directory / "sessions";
  office->program = ExecutablePath();
  office->database = fs::absolute(settings_.db);
  office->limits = {settings.session_usd, settings.session_calls,
                    settings.session_s};
  if (const auto* row = table->FindProvider(choice.provider)) {
    office->form = row->answer;
    office->prices = table->PricesOf(choice.model);
  }
  office->ask = [judging = judging_.get()](
                    const Task& task, std::string_view tool,
                    const std::string& arguments, const service::Call& call) {
    return judging->Ask(task, tool, arguments, call);
  };
  sessions::RemoveOldSessions(office->folder);
  return offices_.emplace_back(std::move(office)).get();
}

// A cassette is asked by all that is said of a request.
Result<agents::Heeds> CampaignFactory::WhatItHeeds(
    const config::Settings& settings, const config::ModelChoice& choice) {
  if (choice.provider == "replay" || IsOutside(choice)) {
    return agents::Heeds{};
  }
  if (IsEmbedded(choice)) return agents::Heeds{true, false};
  TRY(table, TableOf(settings));
  return agents::WhatItHeeds(
      *table, choice.provider, choice.model,
      ProviderSettingsOf(settings, choice.provider).base_url);
}

Result<std::vector<Lesson>> CampaignFactory::LessonsFor(
    const Task& task, const config::Settings& settings) {
  auto memory = memories_.find(settings.memory);
  if (memory == memories_.end()) {
    TRY(loaded, Memory::Load(settings));
    memory = memories_.emplace(settings.memory, std::move(loaded)).first;
  }
  const std::string hardware =
      task.root.language == Language::kCpp ? eval::ProcessorName() : "";
  return memory->second.NearTo(task, hardware,
                               settings.memory_same_task == "yes"
                                   ? OfItself::kUsed
                                   : OfItself::kLeftOut);
}

Result<std::vector<std::string>> CampaignFactory::UnheededNotices(
    const Task& task, const config::Settings& chosen) {
  const config::Settings settings = WithAgentModels(task, chosen);
  const bool is_team = settings.agents == config::Agents::kTeam;
  std::map<std::string, std::vector<AgentSettings>> by_model;
  for (const Role role : kRoles) {
    if (!is_team && role != Role::kCode) continue;
    for (AgentSettings& agent : SettingsOfAgents(settings, role)) {
      by_model[config::NameOf(agent.model)].push_back(std::move(agent));
    }
  }
  std::vector<std::string> notices;
  for (const auto& [name, its_agents] : by_model) {
    TRY(office, OfficeFor(settings, its_agents.front().model));
    if (const auto why = agents::WhyNoJail(); office != nullptr && why) {
      notices.push_back(name + ": " + *why);
    }
    TRY(heeds, WhatItHeeds(settings, its_agents.front().model));
    if (heeds.temperature) continue;
    std::string notice = UnheededNotice(its_agents, heeds.effort);
    if (!notice.empty()) notices.push_back(std::move(notice));
  }
  return notices;
}

Result<search::Policy*> CampaignFactory::PolicyNamed(const std::string& name) {
  auto& policy = policies_[name];
  if (policy == nullptr) {
    TRY(made, search::MakeStoredPolicy(name));
    policy = std::move(made);
  }
  return policy.get();
}

Result<search::ModelRule*> CampaignFactory::ModelRuleNamed(
    const std::string& name) {
  auto& rule = model_rules_[name];
  if (rule == nullptr) {
    TRY(made, search::MakeModelRule(name));
    rule = std::move(made);
  }
  return rule.get();
}

Result<agents::Model*> CampaignFactory::ModelFor(
    const Task& task, const config::Settings& settings,
    const config::ModelChoice& choice) {
  auto& model = models_[IsSimulated(task, choice) ? task.definition.name
                                                  : SpecOf(settings, choice)];
  if (model != nullptr) return model.get();
  TRY(transport, WireTo(task, settings, choice));
  TRY(retrying_model, RetryingOver(std::move(transport), settings, choice));
  model = std::move(retrying_model);
  return model.get();
}

Result<std::unique_ptr<agents::ChatModel>> CampaignFactory::ChatModelFor(
    const config::ModelChoice& choice) {
  if (choice.provider == "catalogue") {
    return Fail(Errc::kUsage, "the catalogue does not converse");
  }
  TRY(transport, WireOutside(settings_, choice));
  TRY(retrying_model, RetryingOver(std::move(transport), settings_, choice));
  return agents::MakeChatModel(std::move(retrying_model));
}

Result<std::unique_ptr<agents::Model>> CampaignFactory::RetryingOver(
    std::unique_ptr<agents::Transport> transport,
    const config::Settings& settings, const config::ModelChoice& choice) {
  TRY(throttle, ThrottleOf(settings, choice.provider));
  agents::RetryOptions options;
  options.timeout_s = settings.model_timeout_s;
  if (settings.model_retries) {
    options.max_retries = static_cast<int>(*settings.model_retries);
  }
  options.seed = settings.seed;
  TRY(office, OfficeFor(settings, choice));
  if (office != nullptr) {
    // It ends by its own limits, and begins again where it was.
    options.timeout_s = settings.session_s + settings.model_timeout_s;
    options.max_retries = 0;
  }
  std::unique_ptr<agents::Model> retrying_model = agents::MakeRetryingModel(
      std::move(transport), std::move(throttle), timer_, options);
  if (settings.record && !IsEmbedded(choice) && choice.provider != "replay") {
    return agents::MakeRecordingModel(std::move(retrying_model),
                                      *settings.record);
  }
  return retrying_model;
}

Result<std::unique_ptr<agents::Transport>> CampaignFactory::WireTo(
    const Task& task, const config::Settings& settings,
    const config::ModelChoice& choice) {
  if (IsSimulated(task, choice)) {
    TRY(made, LandscapeTasks(settings_.data_directory).MakeModel(task));
    return agents::MakeModelTransport(std::move(made));
  }
  if (choice.provider == "catalogue") {
    return agents::MakeModelTransport(agents::MakeCatalogueModel());
  }
  if (IsOutside(choice)) {
    return agents::MakeModelTransport(std::make_unique<Outsider>());
  }
  return WireOutside(settings, choice);
}

Result<std::unique_ptr<agents::Transport>> CampaignFactory::WireOutside(
    const config::Settings& settings, const config::ModelChoice& choice) {
  if (choice.provider == "replay") {
    TRY(made, agents::MakeReplayModel(choice.model));
    return agents::MakeModelTransport(std::move(made));
  }
  TRY(table, TableOf(settings));
  return agents::MakeTransport(*table, choice.provider, choice.model,
                               ProviderSettingsOf(settings, choice.provider),
                               timer_);
}

Result<const agents::ModelTable*> CampaignFactory::TableOf(
    const config::Settings& settings) {
  const std::string file = settings.models_file.value_or("");
  const auto known = tables_.find(file);
  if (known != tables_.end()) return &known->second;
  std::optional<fs::path> users_file;
  if (!file.empty()) users_file = file;
  TRY(table, agents::ModelTable::Load(settings.data_directory, users_file));
  return &tables_.emplace(file, std::move(table)).first->second;
}

Result<std::shared_ptr<agents::Throttle>> CampaignFactory::ThrottleOf(
    const config::Settings& settings, const std::string& provider) {
  auto& throttle = throttles_[AccountOf(settings, provider)];
  if (throttle != nullptr) return throttle;
  agents::Limits limits;  // Of what is in no table: none.
  if (provider != "catalogue" && provider != "replay" && provider != "exec" &&
      provider != agents::kSessionProvider && provider != kOutsideProvider) {
    TRY(table, TableOf(settings));
    TRY(row, agents::RowOf(*table, provider,
                           ProviderSettingsOf(settings, provider).base_url));
    limits = row.limits;
  }
  throttle = std::make_shared<agents::Throttle>(limits, timer_);
  return throttle;
}

// It is the user's error that a C++ kernel runs on no GPU only if he asked for
// one.
Result<std::vector<eval::Device>> CampaignFactory::DevicesFor(
    const Task& task) const {
  const std::string& wanted = settings_.devices;
  const auto refuse = [&](const std::string& why) {
    return Fail(Errc::kUsage,
                "--devices " + wanted + ": " + task.definition.name + why);
  };
  if (IsInPyTorch(task)) return DevicesOfTorch();
  if (task.root.language == Language::kCuda) {
    if (IsCpu(wanted)) return refuse(" is CUDA C++, which runs on a GPU");
    TRY(visible, eval::VisibleDevices());
    return eval::ChooseDevices(visible, wanted);
  }
  if (wanted != "auto" && !IsCpu(wanted) &&
      config::SaidBy(loaded_, "devices") == "--devices") {
    return refuse(" runs on no GPU");
  }
  return std::vector<eval::Device>{};
}

// Where nothing is said, those without a driver that tells of devices do as
// torch finds.
Result<std::vector<eval::Device>> CampaignFactory::DevicesOfTorch() const {
  if (IsCpu(settings_.devices)) return std::vector<eval::Device>{};
  auto visible = eval::VisibleDevices();
  if (visible) return eval::ChooseDevices(*visible, settings_.devices);
  if (settings_.devices == "auto") return std::vector<eval::Device>{};
  return Fail(visible.error().code,
              "--devices " + settings_.devices + ": " + visible.error().what);
}

Result<std::unique_ptr<eval::Evaluator>> CampaignFactory::MakeEvaluator(
    const Task& task, const std::optional<eval::Device>& gpu) const {
  if (task.root.language == Language::kSim) {
    return LandscapeTasks(settings_.data_directory).MakeEvaluator(task);
  }
  if (task.format == TaskFormat::kKernelBench) {
    TRY(options, PythonOptions(gpu));
    return eval::MakePythonEvaluator(std::move(options));
  }
  if (task.format == TaskFormat::kFlashInferBench) {
    TRY(options, PythonOptions(gpu));
    return eval::MakeTraceSetEvaluator(std::move(options));
  }
  if (task.format == TaskFormat::kGpuMode) {
    TRY(options, PythonOptions(gpu));
    return eval::MakeGpuModeEvaluator(std::move(options));
  }
  const auto cache_bytes =
      static_cast<std::uintmax_t>(settings_.cache_limit_mb) * 1'000'000;
  if (task.root.language == Language::kCpp) {
    eval::CpuEvaluatorOptions options;
    options.cache_directory = settings_.cache_directory;
    options.cache_bytes = cache_bytes;
    options.runner = runner_;
    options.quiet = WaitForQuiet();
    options.onlookers = onlookers_;
    options.checks_only = checks_only_;
    options.tells_code = tells_code_;
    options.cancelled = cancelled_;
    options.threads = static_cast<int>(settings_.threads);
    options.compile_timeout_s = settings_.compile_timeout_s;
    options.call_timeout_s = settings_.call_timeout_s;
    options.shapes_seed = shapes_seed_;
    return eval::MakeCpuEvaluator(std::move(options));
  }
  if (task.root.language == Language::kCuda) {
    eval::CudaEvaluatorOptions options;
    options.cache_directory = settings_.cache_directory;
    options.cache_bytes = cache_bytes;
    options.runner = runner_.parent_path() / "coppice-cuda-runner";
    options.nvrtc = runner_.parent_path() / "coppice-nvrtc";
    options.device_uuid = gpu ? gpu->uuid : "";
    options.quiet = WaitForQuiet();
    options.onlookers = onlookers_;
    options.checks_only = checks_only_;
    options.cancelled = cancelled_;
    options.compile_timeout_s = settings_.compile_timeout_s;
    options.call_timeout_s = settings_.call_timeout_s;
    options.shapes_seed = shapes_seed_;
    return eval::MakeCudaEvaluator(std::move(options));
  }
  return Fail(Errc::kUnavailable, task.definition.name +
                                      ": only C++, CUDA C++ and tasks in "
                                      "PyTorch can be judged");
}

Result<eval::Evaluator*> CampaignFactory::EvaluatorOn(
    const Task& task, const std::optional<eval::Device>& gpu) {
  const bool is_simulated = task.root.language == Language::kSim;
  const auto format = static_cast<int>(task.format);
  const auto language = static_cast<int>(task.root.language);
  const std::string kind =
      is_simulated ? task.definition.name
                   : std::to_string(format) + " " + std::to_string(language);
  auto& evaluator = evaluators_[kind + " " + (gpu ? gpu->uuid : "")];
  if (evaluator == nullptr) {
    TRY(made, MakeEvaluator(task, gpu));
    evaluator = std::move(made);
  }
  return evaluator.get();
}

Result<eval::Evaluator*> CampaignFactory::EvaluatorFor(const Task& task) {
  TRY(devices, DevicesFor(task));
  return EvaluatorOn(task, FirstOf(devices));
}

eval::Evaluator* CampaignFactory::Patient(eval::Evaluator& judge) {
  return &patient_.try_emplace(&judge, judge, outages_).first->second;
}

Result<eval::Evaluator*> CampaignFactory::PatientEvaluatorFor(
    const Task& task) {
  TRY(judge, EvaluatorFor(task));
  return Patient(*judge);
}

Result<std::vector<Station>> CampaignFactory::StationsFor(const Task& task) {
  TRY(devices, DevicesFor(task));
  std::vector<Station> stations;
  for (const eval::Device& device : devices) {
    TRY(judge, EvaluatorOn(task, device));
    stations.push_back({Patient(*judge), device.uuid});
  }
  if (devices.empty()) {
    TRY(judge, EvaluatorOn(task, std::nullopt));
    stations.push_back({Patient(*judge), ""});
  }
  return stations;
}

std::int64_t CampaignFactory::ParallelOn(
    const std::vector<Station>& stations) const {
  if (config::IsGiven(loaded_, "parallel")) return settings_.parallel;
  return static_cast<std::int64_t>(stations.size());
}

}  // namespace coppice::engine
