// The program as `opsight view` starts it beside itself, to look at files first (server/prober.h).
#pragma once

namespace opsight::cli {

inline constexpr const char* kAnswerProbes = "--answer-probes";  // its only argument

}  // namespace opsight::cli
