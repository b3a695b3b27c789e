// Who sees to it that nothing is left of a command: a process between us and
// it, which all that it has started falls to once its own parents are gone,
// whatever groups and sessions it is in.  (Linux, PR_SET_CHILD_SUBREAPER.)  It
// is a copy of us as we were then, so one is begun while we are small.
#pragma once

namespace coppice::agents {

// Between fork() and exec(), by a process that no thread of ours runs in: goes
// on as a child of what it was, which becomes the warden.  The warden holds
// nothing open, ends with the exit code of the command (128 + N: by signal N),
// and kills all of its descendants before: when the command has ended, when the
// thread that forked it ends, and at SIGTERM.  False: no process could be made,
// and errno says why.
bool BecomeWarded();

}  // namespace coppice::agents
