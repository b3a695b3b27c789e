// What a node does that tells it from others (store/records/behaviour.h).
#pragma once

namespace coppice {
struct Behaviour;
struct NodeRecord;
}  // namespace coppice

namespace coppice::engine {

// The plan of a point of a landscape shows when it is written.
Behaviour BehaviourOf(const NodeRecord& node);

}  // namespace coppice::engine
