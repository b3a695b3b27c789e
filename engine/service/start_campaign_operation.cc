// start_campaign: a search of this process's own, or one that outside agents
// do.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/put.h"
#include "config/runs_program.h"
#include "engine/campaign/cut.h"
#include "engine/documents/document.h"
#include "engine/factory/fitness.h"
#include "engine/run/campaign_report.h"
#include "engine/run/session.h"
#include "engine/service/arguments.h"
#include "engine/service/json.h"
#include "engine/service/operation_context.h"
#include "engine/service/remote_caller.h"
#include "engine/service/rows.h"
#include "engine/service/schemas.h"
#include "engine/service/service.h"
#include "store/database.h"
#include "store/records/own_providers.h"

namespace coppice::service {
namespace {

constexpr std::int64_t kMostAttempts = 1'000'000;
constexpr double kMostUsd = 1e6;

struct StartRequest {
  std::string task, policy, agent;
  std::int64_t budget = 0;
  std::optional<std::int64_t> seed;
  double cap_usd = 0.0;  // 0: none.
};

bool IsModel(const std::string& agent) {
  return OwnProviderOf(agent).IsAsked();
}

Result<StartRequest> ReadStart(std::string_view text) {
  Arguments arguments(text);
  StartRequest request;
  request.task = arguments.Text("task");
  const auto budget = arguments.OptionalCount("budget", 1, kMostAttempts);
  if (!budget) arguments.Fault("budget: say how many attempts");
  request.budget = budget.value_or(0);
  request.policy = arguments.OptionalText("policy").value_or("");
  request.seed = arguments.OptionalCount("seed", 0, INT64_MAX);
  request.agent = arguments.OptionalText("agent").value_or(
      std::string(NameOf(Answerer::kCatalogue)));
  request.cap_usd = arguments.Number("cap_usd", 0.0, kMostUsd, 0.0);
  if (IsModel(request.agent) && request.cap_usd <= 0.0) {
    arguments.Fault("cap_usd: say what the model may cost");
  }
  // The caller may be a model itself.
  if (config::RunsProgram("code_model", request.agent)) {
    arguments.Fault("agent: a command is started by `coppice run` alone");
  }
  if (config::RunsProgram("policy", request.policy)) {
    arguments.Fault("policy: a file is run by `coppice run` alone");
  }
  TRY_DONE(arguments.Done());
  return request;
}

// As if the command line had said so.
Result<config::Loaded> SettingsFor(const StartRequest& request,
                                   const Service& service) {
  config::Loaded loaded = service.config();
  TRY(path, service.database());
  std::vector<std::pair<std::string, std::string>> said = {
      {"db", path.string()}, {"budget", std::to_string(request.budget)}};
  if (!request.policy.empty()) said.emplace_back("policy", request.policy);
  if (request.seed) said.emplace_back("seed", std::to_string(*request.seed));
  if (request.cap_usd > 0.0) {
    said.emplace_back("cap_usd", Json(request.cap_usd).dump());
  }
  if (OwnProviderOf(request.agent).answerer != Answerer::kCatalogue) {
    for (const char* role : {"plan_model", "code_model", "debug_model"}) {
      said.emplace_back(role, request.agent);
    }
  }
  for (const auto& [key, value] : said) {
    TRY_DONE(config::Put(loaded, key, value, "command line"));
  }
  return loaded;
}

// Tells a job's callers what was committed.
class Reporter final : public engine::Observer {
 public:
  explicit Reporter(const Call& call) : call_(call) {}

  void OnCommit(const engine::Progress& progress,
                const NodeRecord& /*node*/) override {
    Report("attempts", progress);
  }
  void OnConfirm(const engine::Progress& progress, NodeId /*leader*/) override {
    Report("confirming", progress);
  }

 private:
  void Report(const char* stage, const engine::Progress& progress) {
    if (!call_.progress) return;
    call_.progress({stage, static_cast<double>(progress.attempts),
                    static_cast<double>(progress.budget_attempts),
                    "best " + Describe(progress.best_speedup)});
  }
  const Call& call_;
};

// One campaign with all that it is run with.
struct Started {
  config::Loaded loaded{};
  engine::Flag stopped{};
  std::unique_ptr<engine::CampaignFactory> factory{};
  Task task{};
  std::optional<store::Database> database{};
  store::CampaignRow row{};
};

// As `coppice run` does, who would have asked for no more.
Result<void> Screen(Started& started, const std::string& campaign) {
  const auto has_begun = [&]() -> Result<bool> {
    const auto found = store::Campaigns(*started.database).Find(campaign);
    if (found) return true;
    if (found.error().code == Errc::kNotFound) return false;
    return tl::unexpected<Error>(found.error());
  };
  TRY(fitness, engine::FitnessOf(*started.factory, started.task, has_begun,
                                 engine::Unfit::kAsUsual));
  return engine::MustBeKept("task: " + started.task.definition.name, fitness);
}

Result<std::shared_ptr<Started>> Start(const StartRequest& request,
                                       Service& service) {
  auto started = std::make_shared<Started>();
  TRY_ASSIGN(started->loaded, SettingsFor(request, service));
  const config::Settings& settings = started->loaded.settings;
  TRY_ASSIGN(started->factory,
             engine::CampaignFactory::Make(
                 started->loaded, service.runner(), service.clock(),
                 started->stopped.up(), nullptr, service.make_sessions()));
  TRY(task, started->factory->FindTask(request.task));
  TRY_DONE(started->factory->Prepare(task, settings.policy));
  started->task = std::move(task);
  TRY_ASSIGN(started->database,
             store::Database::Open(settings.db, store::Access::kCreate));
  const bool is_native = started->task.format == TaskFormat::kNative;
  const std::string name =
      is_native ? request.task : started->task.definition.name;
  TRY_DONE(Screen(*started, engine::CampaignName(settings, name)));
  TRY_ASSIGN(started->row,
             engine::FindOrStart(*started->factory, *started->database,
                                 started->task, name, ""));
  return started;
}

Result<std::string> RunToItsEnd(Started& started, const Call& call) {
  const std::stop_callback stop(call.cancelled,
                                [&] { started.stopped.Raise(); });
  Reporter reporter(call);
  TRY(report, engine::RunCampaign(*started.factory, *started.database,
                                  started.task, started.row, reporter));
  if (call.cancelled.stop_requested()) {
    return Fail(Errc::kCancelled, report.campaign +
                                      ": stopped; what was done "
                                      "is kept");
  }
  return cli::LineOf({{"campaign", report.campaign},
                      {"db", started.loaded.settings.db.string()},
                      {"attempts", report.progress.attempts},
                      {"best_node", Index(report.progress.best)},
                      {"best_speedup", report.progress.best_speedup.ratio}});
}

Result<std::string> StartCampaign(Service& service, const Call& call,
                                  std::string_view text) {
  TRY(request, ReadStart(text));
  TRY_DONE(CheckMayNameTask(service, request.task, call));
  TRY_DONE(CheckMayNameModels(request.agent, call));
  TRY(started, Start(request, service));
  Json answer = {{"campaign", started->row.spec.name},
                 {"db", started->loaded.settings.db.string()},
                 {"job", nullptr}};
  if (OwnProviderOf(request.agent).answerer != Answerer::kOutside) {
    Work work{.lane = Lane::kCampaigns,
              .key = "campaign " + started->row.spec.name,
              .run = [started](const Call& own) {
                return RunToItsEnd(*started, own);
              }};
    TRY(job, OperationContextOf(service).jobs().Do(call, std::move(work), 0.0));
    answer["job"] = job.id;
  }
  return cli::LineOf(answer);
}

}  // namespace

Operation StartCampaignOperation() {
  static const std::string agent =
      R"("agent":{"type":"string","default":")" +
      std::string(NameOf(Answerer::kCatalogue)) +
      R"(","description":"catalogue, outside (agents that ask and tell), )"
      R"(or PROVIDER:MODEL"})";
  static const std::string request =
      ObjectSchema(Listed({kTaskProperty,
                           R"("budget":{"type":"integer","minimum":1,)"
                           R"("maximum":1000000,"description":"Attempts"},)"
                           R"("policy":{"type":"string"},)"
                           R"("seed":{"type":"integer","minimum":0})",
                           agent,
                           R"("cap_usd":{"type":"number","minimum":0,)"
                           R"("maximum":1e6,)"
                           R"("description":"Must be said of a model"})"}),
                   R"("task","budget")");
  static const std::string result =
      ObjectSchema(R"("campaign":{"type":"string"},"db":{"type":"string"},)"
                   R"("job":{"type":["string","null"]})",
                   R"("campaign","db")");
  return {
      .name = "start_campaign",
      .title = "Begin a search",
      .description =
          "Begins a search for faster kernels of a task, or goes on with the "
          "one of that name, and answers at once. It runs as a job of this "
          "service: status tells how far it is, cancel_job stops it, and "
          "nothing is lost. With agent outside nothing runs: ask gives the "
          "attempts out.",
      .effects = {.open_world = true},
      .request_schema = request,
      .result_schema = result,
      .answer = StartCampaign,
  };
}

}  // namespace coppice::service
