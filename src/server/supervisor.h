// A process that answers, and one that starts another where it crashes. The library that reads profiles
// trusts what is in them, and so a damaged one may end whoever asks: that must not be the end of the program.
#pragma once

#include <functional>
#include <optional>

namespace opsight::server {

// Forks: to be called before there are threads. Nothing in the process that is to answer. In this one its
// exit code, once it has ended; where a signal ended it that somebody sent, this one ends by that signal. It
// hands on the signals that it gets itself. After a crash `on_crash` tells whether to fork again; else the
// code is 1.
std::optional<int> supervise(const std::function<bool(int signal)>& on_crash);

}  // namespace opsight::server
