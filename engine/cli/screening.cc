#include "engine/cli/screening.h"

#include <ostream>
#include <system_error>
#include <utility>

#include "engine/documents/table.h"
#include "store/database.h"
#include "store/write/campaigns.h"

namespace coppice::cli {

void Enter(const Task& task, const TaskFitness& fitness, std::ostream& err,
           Screened& screened) {
  if (fitness.why_unfit.empty()) return;
  const std::string& name = task.definition.name;
  err << Printable(name + ": " + fitness.why_unfit)
      << (fitness.has_begun ? "; kept, since its campaign has begun\n"
          : fitness.is_kept ? "; kept (--unfit skip leaves it out)\n"
                            : "; left out (--unfit keep keeps it)\n");
  (fitness.is_kept ? screened.kept : screened.left_out)
      .push_back({name, fitness.why_unfit});
}

Result<void> LeaveOut(const std::string& task, const std::string& subject,
                      const Error& error, Screened& screened) {
  if (error.code != Errc::kUsage && error.code != Errc::kUnfit) {
    return tl::unexpected<Error>(error);
  }
  screened.left_out.push_back({task, WithoutSubject(subject, error.what)});
  return {};
}

std::string WithoutSubject(const std::string& subject,
                           const std::string& what) {
  const std::string prefix = subject + ": ";
  return what.starts_with(prefix) ? what.substr(prefix.size()) : what;
}

Screening::Screening(const Invocation& invocation)
    : database_(invocation.settings().db) {
  const auto wanted = invocation.Text(kUnfitOption.name);
  if (wanted) unfit_ = wanted == "keep" ? Unfit::kKeep : Unfit::kSkip;
}

Result<bool> Screening::HasBegun(const std::string& campaign) {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(database_, none);
  if (!begun_ && (none || bytes == 0)) begun_.emplace();
  if (!begun_) {
    begun_.emplace();
    auto database = store::Database::Open(database_, store::Access::kReadWrite);
    // Whoever made the file may have died before anything was in it.
    if (!database && database.error().code == Errc::kNotFound) return false;
    if (!database) return tl::unexpected<Error>(std::move(database).error());
    TRY(rows, store::Campaigns(*database).List());
    for (const store::CampaignRow& row : rows) begun_->insert(row.spec.name);
  }
  return begun_->contains(campaign);
}

Result<TaskFitness> Screening::Judge(engine::CampaignFactory& factory,
                                     const Task& task,
                                     const std::string& campaign,
                                     std::ostream& err) {
  TRY(fitness, engine::FitnessOf(
                   factory, task, [&] { return HasBegun(campaign); }, unfit_));
  if (!fitness.unjudged.empty()) {
    err << "null candidates cannot be judged: " << OneLine(fitness.unjudged)
        << "\n";
  }
  return fitness;
}

}  // namespace coppice::cli
