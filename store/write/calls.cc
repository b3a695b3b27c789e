#include "store/write/calls.h"

#include <optional>
#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/named.h"
#include "store/records/window.h"
#include "store/write/epoch_check.h"
#include "store/write/plans.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

TextKind PromptKind(Role role) {
  switch (role) {
    case Role::kPlan:
      return TextKind::kPlanPrompt;
    case Role::kCode:
      return TextKind::kCodePrompt;
    case Role::kDebug:
      return TextKind::kDebugPrompt;
  }
  return TextKind::kPlanPrompt;
}

Result<void> EndCall(Connection& connection, CallId call, const CallEnd& end,
                     std::optional<BlobId> like) {
  if (end.outcome == CallOutcome::kSent) {
    return connection.FailHere(Errc::kUsage, "a call cannot end as sent");
  }
  std::optional<BlobId> answer;
  if (end.outcome == CallOutcome::kAnswered) {
    TRY(stored, connection.blobs().Put(end.answer, like, Future::kLeaf));
    answer = stored.id;
  }
  if (end.wire) TRY_DONE(EndWireCall(connection, *end.wire));
  // What its requests used is known from these, if there are any.
  connection.Run(
      "UPDATE model_call SET outcome = ?2, answer_blob = ?3, error = ?4,"
      " latency_s = ?5, ended_at_s = ?6,"
      " (input_tokens, cached_input_tokens, output_tokens, cost_usd) ="
      " (SELECT iif(asked, input_tokens, ?7),"
      "  iif(asked, cached_input_tokens, ?8),"
      "  iif(asked, output_tokens, ?9), iif(asked, cost_usd, ?10)"
      "  FROM (SELECT EXISTS (SELECT 1 FROM wire_call w"
      "   WHERE w.call_id = ?1) AS asked)) WHERE call_id = ?1",
      call, end.outcome, answer, end.error, end.latency_s, end.ended_at_s,
      end.usage.input_tokens, end.usage.cached_input_tokens,
      end.usage.output_tokens, end.cost_usd);
  return {};
}

// Nothing is made of an answer that comes after its attempt was taken over.
Result<void> NoteLate(Connection& connection, CallId call, const CallEnd& end) {
  return connection.Write([&]() -> Result<void> {
    if (end.wire) TRY_DONE(EndWireCall(connection, *end.wire));
    if (end.outcome != CallOutcome::kAnswered) return {};
    connection.Run(
        "UPDATE model_call SET error = 'answered after its attempt was"
        " taken over' WHERE call_id = ?1 AND outcome = ?2",
        call, CallOutcome::kUnknown);
    return {};
  });
}

// Ends the call by `finish`, which is told what it is of, in one transaction.
template <class Finish>
Result<void> EndOpen(Connection& connection, CallId call, const CallEnd& end,
                     Finish&& finish) {
  auto ended = connection.Write([&]() -> Result<void> {
    TRY(open, FindOpen(connection, call));
    return finish(open);
  });
  if (!ended && ended.error().code == Errc::kLost) {
    TRY_DONE(NoteLate(connection, call, end));
  }
  return ended;
}

Result<void> CheckAnswered(Connection& connection, const CallEnd& end) {
  if (end.outcome == CallOutcome::kAnswered) return {};
  return connection.FailHere(Errc::kUsage,
                             "only an answered call has a product");
}

void InsertCut(Connection& connection, CallId call, const Window& window) {
  for (const WindowCut& run : window.cut) {
    connection.Insert(
        "window_cut",
        "INSERT INTO window_cut (call_id, kinship, first_node, last_node)"
        " VALUES (?, ?, ?, ?)",
        call, run.kinship, run.first, run.last);
  }
}

void InsertShown(Connection& connection, CampaignId campaign, CallId call,
                 const Window& window) {
  int position = 0;
  for (const WindowEntry& entry : window.shown) {
    connection.Insert(
        "window_entry",
        "INSERT INTO window_entry (call_id, position, campaign_id,"
        " node_number, kinship) VALUES (?, ?, ?, ?, ?)",
        call, position++, campaign, entry.node, entry.kinship);
  }
}

// Attempts go on, never back.
Result<void> CheckAdvance(Connection& connection, const OpenModelCall& open,
                          Stage to) {
  if (open.stage >= to) {
    return connection.FailHere(Errc::kUsage, Named(open.attempt) + " is " +
                                                 std::string(Name(open.stage)) +
                                                 " already");
  }
  return {};
}

}  // namespace

Result<CallId> Calls::Begin(const Holding& holding, const CallIntent& intent,
                            const Window& window) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<CallId> {
    TRY(held, FindHeld(connection, holding));
    if (held.stage >= Stage::kCoded) {
      return connection.FailHere(
          Errc::kUsage, Named(holding.attempt) + " needs no more calls");
    }
    const CampaignId campaign = held.campaign;
    Blobs& blobs = connection.blobs();
    TRY(system,
        blobs.PutLike(campaign, TextKind::kSystemPrompt, intent.system_prompt));
    TRY(user,
        blobs.PutLike(campaign, PromptKind(intent.role), intent.user_prompt));
    std::optional<BlobId> templates;
    if (!intent.templates.empty()) {
      TRY(stored,
          blobs.PutLike(campaign, TextKind::kTemplates, intent.templates));
      templates = stored.id;
    }
    connection.Run(
        "INSERT INTO model_call (uuid, attempt_id, role, provider, model,"
        " sample_index, retry_of, system_prompt_blob, user_prompt_blob,"
        " template_blob, template_set, nodes_cut, sent_at_s, epoch)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
        " (SELECT max(call_id) FROM model_call"
        "  WHERE attempt_id = ?2 AND role = ?3),"
        " ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        intent.uuid, holding.attempt, intent.role, intent.provider,
        intent.model, intent.sample_index, system.id, user.id, templates,
        intent.template_set, window.NodesCut(), intent.sent_at_s,
        holding.epoch);
    const auto call = static_cast<CallId>(connection.LastRowId());
    InsertShown(connection, campaign, call, window);
    InsertCut(connection, call, window);
    return call;
  });
}

Result<void> Calls::End(CallId call, const CallEnd& end) {
  Connection& connection = database_.connection();
  return EndOpen(
      connection, call, end, [&](const OpenModelCall& open) -> Result<void> {
        return EndCall(connection, call, end,
                       SourceOf(connection, open.campaign, open.parent));
      });
}

Result<std::optional<Rejected>> Calls::LastRejected(AttemptId attempt,
                                                    Role role) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<std::optional<Rejected>> {
    Rejected rejected;
    BlobId answer{};
    {
      // An answer that something was made of has advanced the attempt.
      Statement read = connection.Prepare(
          "SELECT m.answer_blob, m.error FROM model_call m"
          " JOIN attempt a USING (attempt_id)"
          " WHERE m.attempt_id = ?1 AND m.role = ?2 AND m.outcome = ?3"
          " AND a.stage < iif(m.role = ?4, ?5, ?6)"
          " ORDER BY m.call_id DESC LIMIT 1",
          attempt, role, CallOutcome::kAnswered, Role::kPlan, Stage::kPlanned,
          Stage::kCoded);
      if (!read.Step()) return std::optional<Rejected>();
      answer = read.As<BlobId>(0);
      rejected.fault = read.Text(1);
    }
    TRY_ASSIGN(rejected.answer, connection.blobs().Text(answer));
    return std::optional(std::move(rejected));
  });
}

Result<void> Calls::EndWithPlan(CallId call, const CallEnd& end,
                                const Plan& plan) {
  Connection& connection = database_.connection();
  return EndOpen(
      connection, call, end, [&](const OpenModelCall& open) -> Result<void> {
        TRY_DONE(CheckAnswered(connection, end));
        TRY_DONE(CheckAdvance(connection, open, Stage::kPlanned));
        if (open.role != Role::kPlan) {
          return connection.FailHere(Errc::kUsage, "only a plan agent plans");
        }
        // The answer holds the annotated source, which is the parent's and
        // marks.
        TRY(annotated, connection.blobs().Put(
                           plan.annotated_source,
                           SourceOf(connection, open.campaign, open.parent),
                           Future::kLeaf));
        TRY_DONE(EndCall(connection, call, end, annotated.id));
        TRY(plan_id, InsertPlan(connection, plan, annotated.id));
        connection.Run(
            "UPDATE attempt SET stage = ?2, plan_id = ?3 WHERE attempt_id = ?1",
            open.attempt, Stage::kPlanned, plan_id);
        return {};
      });
}

Result<void> Calls::EndWithCandidate(CallId call, const CallEnd& end,
                                     const Candidate& candidate,
                                     const EditFootprint& footprint) {
  Connection& connection = database_.connection();
  return EndOpen(
      connection, call, end, [&](const OpenModelCall& open) -> Result<void> {
        TRY_DONE(CheckAnswered(connection, end));
        TRY_DONE(CheckAdvance(connection, open, Stage::kCoded));
        if (open.role == Role::kPlan) {
          return connection.FailHere(Errc::kUsage,
                                     "a plan agent writes no code");
        }
        TRY(source, connection.blobs().Put(
                        candidate.source,
                        SourceOf(connection, open.campaign, open.parent),
                        Future::kBase));
        TRY_DONE(EndCall(connection, call, end, source.id));
        connection.Run(
            "UPDATE attempt SET stage = ?2, source_blob = ?3, language = ?4,"
            " entry_symbol = ?5, changed_inside = ?6, changed_outside = ?7"
            " WHERE attempt_id = ?1",
            open.attempt, Stage::kCoded, source.id, candidate.language,
            candidate.entry_symbol, footprint.changed_inside,
            footprint.changed_outside);
        return {};
      });
}

Result<void> Calls::EndWithoutCandidate(CallId call, const CallEnd& end,
                                        const std::string& reason) {
  Connection& connection = database_.connection();
  return EndOpen(
      connection, call, end, [&](const OpenModelCall& open) -> Result<void> {
        TRY_DONE(CheckAdvance(connection, open, Stage::kCoded));
        TRY_DONE(EndCall(connection, call, end,
                         SourceOf(connection, open.campaign, open.parent)));
        connection.Run(
            "UPDATE attempt SET stage = ?2, no_candidate_reason = ?3"
            " WHERE attempt_id = ?1",
            open.attempt, Stage::kCoded, reason);
        return {};
      });
}

}  // namespace coppice::store
