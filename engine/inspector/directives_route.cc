// GET and POST /api/directives, POST /api/directives/withdraw: what people ask
// of a campaign (store/records/directive.h).
#include <map>
#include <nlohmann/json.hpp>

#include "engine/inspector/directive_json.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/post_body.h"
#include "engine/inspector/routes.h"
#include "engine/steering/directive_text.h"
#include "store/records/model_call.h"
#include "store/write/directives.h"

namespace coppice::inspector {
namespace {

constexpr std::string_view kForm =
    "not a directive: send {\"db\": 0, \"c\": \"NAME\", \"uuid\": \"...\", "
    "\"kind\": \"freeze\", \"subject\": 7, \"payload\": {}, "
    "\"expected_last\": null}";

Result<void> ReadPayload(const Json& payload, Directive& directive) {
  TRY_ASSIGN(directive.text, TextIn(payload, "text"));
  TRY_ASSIGN(directive.aspect, TextIn(payload, "aspect"));
  TRY(role, TextIn(payload, "role"));
  TRY(target, WholeIn(payload, "target"));
  TRY(not_before, WholeIn(payload, "not_before"));
  directive.not_before = not_before.value_or(0);
  if (target) directive.target = DirectiveId{*target};
  for (const Role each : {Role::kPlan, Role::kCode, Role::kDebug}) {
    if (Name(each) == role) directive.role = each;
  }
  if (!role.empty() && !directive.role) {
    return Fail(Errc::kUsage, "role: expected plan, code or debug");
  }
  const Json& amount = MemberOf(payload, "amount");
  if (amount.is_null()) return {};
  if (!amount.is_number()) return Fail(Errc::kUsage, "amount: no number");
  directive.amount = amount.get<double>();
  return {};
}

Result<Directive> DirectiveIn(const Json& document) {
  Directive directive;
  TRY(kind_name, TextIn(document, "kind"));
  TRY(uuid_text, TextIn(document, "uuid"));
  const auto kind = DirectiveKindNamed(kind_name);
  const auto uuid = ParseUuid(uuid_text);
  if (!kind || !uuid) return Fail(Errc::kUsage, std::string(kForm));
  directive.kind = *kind;
  directive.uuid = *uuid;
  TRY(node, WholeIn(document, "subject"));
  if (node) directive.node = NodeId{*node};
  const Json& payload = MemberOf(document, "payload");
  if (payload.is_object()) TRY_DONE(ReadPayload(payload, directive));
  return directive;
}

Result<Json> RowOf(store::Database& database, CampaignId campaign,
                   DirectiveId id) {
  TRY(rows, DirectivesJson(database, campaign));
  for (const Json& row : rows) {
    if (row["id"] == Index(id)) return row;
  }
  return Fail(Errc::kNotFound,
              "there is no directive " + std::to_string(Index(id)));
}

}  // namespace

Result<Json> DirectivesJson(store::Database& database, CampaignId campaign) {
  TRY(directives, store::ReadDirectives(database, campaign));
  TRY(forced, store::ReadForced(database, campaign));
  std::map<DirectiveId, std::vector<std::int64_t>> decisions;
  for (const store::Forced& each : forced) {
    decisions[each.directive].push_back(each.decision);
  }
  Json rows = Json::array();
  for (const Directive& each : directives) {
    rows.push_back({{"id", Index(each.id)},
                    {"uuid", ToString(each.uuid)},
                    {"kind", Name(each.kind)},
                    {"subject", OrNull(each.node)},
                    {"text", each.text},
                    {"author", each.author},
                    {"at_s", each.at_s},
                    {"role", NameOrNull(each.role)},
                    {"aspect", each.aspect},
                    {"amount", OrNull(each.amount)},
                    {"target", OrNull(each.target)},
                    {"not_before", each.not_before},
                    {"effective_decision", OrNull(each.effective_decision)},
                    {"outcome", Name(each.outcome)},
                    {"refusal", TextOrNull(each.refusal)},
                    {"summary", DirectiveText(each)},
                    {"attempts", decisions[each.id]}});
  }
  return rows;
}

Result<http::Answer> AnswerDirectives(const QueryParameters& asked) {
  TRY(chosen, asked.Choose());
  TRY(rows, DirectivesJson(chosen.database(), chosen.campaign.id));
  return JsonAnswer(rows);
}

Result<http::Answer> AnswerSteer(const QueryParameters& asked) {
  TRY(document, ParsePosted(asked.request().body, kForm));
  TRY(directive, DirectiveIn(document));
  TRY(expected, WholeIn(document, "expected_last"));
  directive.author = asked.inspector().terms().user;
  directive.at_s = asked.inspector().clock().UnixSeconds();
  TRY_DONE(engine::CheckSaid(directive));
  const Addressee to = AddresseeOf(document);
  TRY(database, OpenToWrite(asked, to.file));
  TRY(campaign, store::Campaigns(database).Find(to.campaign));
  TRY(appended,
      store::AppendDirective(
          database, campaign.id, directive,
          expected ? std::optional(DirectiveId{*expected}) : std::nullopt));
  TRY(row, RowOf(database, campaign.id, appended.id));
  if (!appended.is_conflict) return JsonAnswer(row, 201);
  const std::string what = row["author"].get<std::string>() +
                           " asked something else of the same meanwhile: look "
                           "at it, then ask again";
  return JsonAnswer({{"error", what}, {"other", std::move(row)}}, 409);
}

Result<http::Answer> AnswerWithdraw(const QueryParameters& asked) {
  constexpr std::string_view kWithdrawal =
      "not a withdrawal: send {\"db\": 0, \"c\": \"NAME\", \"id\": 3}";
  TRY(document, ParsePosted(asked.request().body, kWithdrawal));
  TRY(id, WholeIn(document, "id"));
  if (!id) return Fail(Errc::kUsage, std::string(kWithdrawal));
  const Addressee to = AddresseeOf(document);
  TRY(database, OpenToWrite(asked, to.file));
  TRY(campaign, store::Campaigns(database).Find(to.campaign));
  TRY(row, RowOf(database, campaign.id, DirectiveId{*id}));
  const auto withdrawn =
      store::WithdrawDirective(database, campaign.id, DirectiveId{*id});
  if (!withdrawn) {
    if (withdrawn.error().code != Errc::kUsage) {
      return tl::unexpected<Error>(withdrawn.error());
    }
    return JsonAnswer({{"error", withdrawn.error().what}, {"other", row}}, 409);
  }
  TRY(now, RowOf(database, campaign.id, DirectiveId{*id}));
  return JsonAnswer(now);
}

}  // namespace coppice::inspector
