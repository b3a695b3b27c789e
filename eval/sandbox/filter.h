// The system calls that are left to a runner before it loads a candidate.
#pragma once

namespace coppice::eval {

// What the process has opened and goes on to use: a device, or a device and the
// socket on which a sanitizer within it is asked from outside; or it is a
// Python interpreter, whose socket is asked from outside, too.
enum class Devices { kNone, kCuda, kSanitizedCuda, kPython, kPythonCuda };

// False if the kernel refused.
//
// The filter is an allow-list.  What no kernel needs and only an attack asks
// for (another process, a socket, ptrace, ...) raises SIGSYS; what is merely
// unknown fails with EPERM, so that a library's probe does no harm.
bool InstallFilter(Devices devices);

// The same as a BPF program into a file, for another process to install: one
// that is alone in its process name space, for it may signal anybody.  An
// attack fails with EPERM there, which is an exception in Python.
bool ExportFilter(Devices devices, int file);

}  // namespace coppice::eval
