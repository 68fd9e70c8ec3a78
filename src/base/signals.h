// What this process was told to do about signals.
#pragma once

#include <csignal>

namespace opsight {

// Whether whoever started us wants it ignored, as nohup does and as shells do for what runs in the
// background. Then it is to stay so.
inline bool is_ignored(int signal) {
    struct sigaction now {};
    return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace opsight
