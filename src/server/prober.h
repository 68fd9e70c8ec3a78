// Looks at profile files in a process of its own, one after another: what is damaged so that DuckDB crashes
// on it ends that process and not the server, and what was opened only to be listed leaves no memory behind.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>
#include <vector>

#include "server/facts.h"
#include "server/fair_semaphore.h"

namespace opsight::server {

class Prober {
  public:
    // `command`: the program to start, with its arguments; it calls answer_probes().
    explicit Prober(std::vector<std::string> command) : command_(std::move(command)) {}
    Prober(const Prober&) = delete;
    Prober& operator=(const Prober&) = delete;
    ~Prober();

    // What is in the file. Brings one of an older version up to date where `may_write`.
    Expected<ProfileFacts> ask(const std::string& path, bool may_write);
    // What is asked now fails, and whatever is asked later: for the end of the program.
    void stop();

  private:
    Status start();
    Result<std::string> exchange(const std::string& question);
    void end();

    std::vector<std::string> command_;
    // One question at a time, in their order: who lists a folder asks thousands, one after another.
    FairSemaphore turn_{1};
    std::mutex child_mutex_;  // the process
    pid_t child_ = -1;
    int socket_ = -1;
    bool stopped_ = false;
};

// The other side: answers questions from `in` to `out` until there are no more. The exit code.
int answer_probes(int in, int out);

}  // namespace opsight::server
