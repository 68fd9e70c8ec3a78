#include "collect/kept_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace opsight::collect {
namespace {

constexpr size_t kMostFiles = 1024;
std::atomic<int> g_files[kMostFiles];  // the number + 1 of each open file; 0: a free place

// A program's limit of files is its own: the observer takes at most a quarter of it.
size_t allowed_files(rlim_t& limit) {
    rlimit files{};
    limit = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY ? files.rlim_cur : 1024;
    return std::min<size_t>(kMostFiles, limit / 4);
}

}  // namespace

int keep_file(int file) {
    rlim_t limit = 0;
    const size_t allowed = allowed_files(limit);
    const int high = fcntl(file, F_DUPFD_CLOEXEC, static_cast<int>(std::min<rlim_t>(limit * 3 / 4, 768)));
    ::close(file);
    if (high < 0) return -EMFILE;
    for (size_t i = 0; i < allowed; ++i)
        if (int free = 0; g_files[i].compare_exchange_strong(free, high + 1)) return high;
    ::close(high);
    return -EMFILE;
}

void close_kept(int file) {
    for (std::atomic<int>& each : g_files)
        if (int held = file + 1; each.compare_exchange_strong(held, 0)) {
            ::close(file);
            return;
        }
}

void close_inherited_files() {
    for (std::atomic<int>& each : g_files)
        if (const int held = each.exchange(0)) ::close(held - 1);
}

}  // namespace opsight::collect
