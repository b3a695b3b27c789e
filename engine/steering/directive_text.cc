#include "engine/steering/directive_text.h"

#include "config/model_list.h"
#include "config/runs_program.h"
#include "engine/steering/constraints.h"
#include "search/policy.h"

namespace coppice::engine {
namespace {

Result<void> CheckModel(const Directive& directive) {
  TRY(models, config::ParseModelList(directive.text));
  // A row of a database starts no program of whoever goes on with it.
  if (config::RunsProgram("code_model", directive.text)) {
    return Fail(Errc::kUsage, "model " + directive.text +
                                  ": a command is for --code-model of who "
                                  "runs the campaign");
  }
  if (models.size() == 1) return {};
  return Fail(Errc::kUsage, "model " + directive.text +
                                ": expected one, as openai:gpt-5.4-mini");
}

}  // namespace

Result<void> CheckSaid(const Directive& directive) {
  TRY_DONE(CheckDirective(directive));
  switch (directive.kind) {
    case DirectiveKind::kForbid:
    case DirectiveKind::kRequire:
      return CheckRule(directive);
    case DirectiveKind::kPolicy:
      // It would have to be said again by each who goes on.
      if (config::RunsProgram("policy", directive.text)) {
        return Fail(
            Errc::kUsage,
            directive.text + ": is for --policy of who runs the campaign");
      }
      return search::MakePolicy(directive.text).map([](const auto&) {});
    case DirectiveKind::kModel:
      return CheckModel(directive);
    default:
      return {};
  }
}

}  // namespace coppice::engine
