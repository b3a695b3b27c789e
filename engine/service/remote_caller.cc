#include "engine/service/remote_caller.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "config/model_list.h"
#include "engine/service/operation.h"
#include "engine/service/operation_context.h"
#include "engine/service/service.h"
#include "eval/formats/task_folder.h"
#include "store/database.h"
#include "store/records/own_providers.h"
#include "store/write/campaigns.h"

namespace coppice::service {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> NoFile(std::string_view field, std::string_view instead) {
  return Fail(Errc::kUsage,
              std::string(field) +
                  ": no file is opened for who asks over a network; " +
                  std::string(instead));
}

// A folder where the service runs may be called by a bare name, too, but a task
// that comes with the program goes before it.
bool IsBuiltIn(Service& service, const std::string& task) {
  const auto tasks =
      OperationContextOf(service).evaluator_pool().BuiltInTasks();
  return tasks && std::ranges::any_of(*tasks, [&](const Task& each) {
           return each.definition.name == task;
         });
}

// A table of measurements has an ending.
bool NamesNoFile(Service& service, const std::string& task) {
  if (task.find_first_of(":/") == task.npos) {
    return !eval::IsTaskFolder(task) || IsBuiltIn(service, task);
  }
  return task.starts_with("sim:") ||
         (task.starts_with("recorded:") && task.find('.') == task.npos);
}

bool HasCampaignOn(const fs::path& file, const std::string& task) {
  auto database = store::Database::Open(file, store::Access::kReadOnly);
  if (!database) return false;
  const auto rows = store::Campaigns(*database).List();
  return rows && std::ranges::any_of(*rows, [&](const auto& row) {
           return row.spec.task_name == task;
         });
}

}  // namespace

Result<void> CheckMayNameTask(Service& service, const std::string& task,
                              const Call& call) {
  if (!call.is_remote || NamesNoFile(service, task)) return {};
  const auto own = service.database();
  if (own && HasCampaignOn(*own, task)) return {};
  return NoFile("task", "name one that list_tasks has");
}

Result<void> CheckMayNameHistory(const Service& service,
                                 const std::string& file, const Call& call) {
  if (!call.is_remote) return {};
  const auto whole = [](const fs::path& path) {
    return fs::absolute(path).lexically_normal();
  };
  const auto own = service.database();
  if (own && whole(*own) == whole(file)) return {};
  return NoFile("db", "leave it out to ask this server's history");
}

Result<void> CheckMayNameModels(const std::string& models, const Call& call) {
  if (!call.is_remote) return {};
  const auto named =
      config::ParseModelList(models).value_or(config::ModelList{});
  const bool has_file =
      std::ranges::any_of(named, [](const config::ModelChoice& model) {
        return OwnProviderOf(model.provider).answerer == Answerer::kCassette;
      });
  if (!has_file) return {};
  return NoFile("agent", "name a provider, catalogue or outside");
}

}  // namespace coppice::service
