#include "engine/outside/outside_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/outside/ticket_offer.h"

namespace coppice::engine {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json RatioJson(const std::optional<Speedup>& speedup) {
  return speedup ? Json(speedup->ratio) : Json(nullptr);
}

Json IntervalJson(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high})
                  : Json(nullptr);
}

Json OfferJson(const TicketOffer& offer) {
  Json json = TicketJson(offer.ticket);
  json["role"] = Name(offer.role);
  json["decision"] = offer.decision;
  json["parent"] = Index(offer.parent);
  json["policy"] = offer.policy;
  json["reason"] = offer.reason;
  json["anchors"] = offer.anchors;
  json["annotate"] =
      offer.annotate.empty() ? Json(nullptr) : Json(offer.annotate);
  json["prompt"] = {{"system", offer.system_prompt},
                    {"user", offer.user_prompt}};
  json["window"] = Json::array();
  for (const Seen& seen : offer.window) {
    json["window"].push_back(
        {{"node", Index(seen.node)},
         {"kinship", seen.kinship},
         {"verdict", Name(seen.verdict)},
         {"speedup", RatioJson(seen.speedup)},
         {"source", seen.source.empty() ? Json(nullptr) : Json(seen.source)},
         {"log_head", seen.log_head}});
  }
  return json;
}

Json RewardJson(const Receipt& receipt) {
  const Reward& reward = receipt.reward;
  return {{"verdict",
           receipt.verdict ? Json(Name(*receipt.verdict)) : Json(nullptr)},
          {"compiled", OrNull(reward.compiled)},
          {"correct_fraction", OrNull(reward.correct_fraction)},
          {"log_speedup", OrNull(reward.log_speedup)},
          {"interval", IntervalJson(reward.interval)},
          {"vs_parent", OrNull(reward.vs_parent)},
          {"vs_best", OrNull(reward.vs_best)},
          {"novel", OrNull(reward.novel)},
          {"confirmed", OrNull(reward.confirmed)},
          {"floor_ratio", OrNull(reward.floor_ratio)}};
}

}  // namespace

Json TicketJson(const Ticket& ticket) {
  return {
      {"ticket", ToString(ticket.uuid)}, {"state", Name(ticket.state)},
      {"agent", ticket.agent},           {"request", OrNull(ticket.request)},
      {"roles", NameOf(ticket.roles)},   {"deadline_s", ticket.deadline_s}};
}

Json AskedJson(const Asked& asked) {
  if (asked.offers.empty()) {
    return {{"ticket", nullptr},
            {"reason", asked.none_because},
            {"spent", asked.is_spent}};
  }
  Json json = OfferJson(asked.offers.front());
  if (asked.offers.size() == 1) return json;
  json["more"] = Json::array();
  for (std::size_t i = 1; i < asked.offers.size(); ++i) {
    json["more"].push_back(OfferJson(asked.offers[i]));
  }
  return json;
}

Json ReceiptJson(const Receipt& receipt) {
  Json json = TicketJson(receipt.ticket);
  json["stage"] = Name(receipt.stage);
  json["node"] = receipt.node ? Json(Index(*receipt.node)) : Json(nullptr);
  json["verdict"] =
      receipt.verdict ? Json(Name(*receipt.verdict)) : Json(nullptr);
  json["speedup"] = RatioJson(receipt.speedup);
  json["best_speedup"] = RatioJson(receipt.best_speedup);
  json["log_head"] = receipt.log_head;
  json["reward"] = RewardJson(receipt);
  json["next"] = receipt.next ? OfferJson(*receipt.next) : Json(nullptr);
  return json;
}

}  // namespace coppice::engine
