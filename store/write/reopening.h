// A campaign that was finished and has something to do again.  Private to this
// folder.
#pragma once

#include "store/records/ids.h"

namespace coppice::store {

class Connection;

// Makes it paused if it is finished, so that whoever resumes finds it.
//
// REQUIRES: the caller is inside Connection::Write.
void Reopen(Connection& connection, CampaignId campaign, double now_s);

}  // namespace coppice::store
