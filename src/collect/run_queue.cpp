#include "collect/run_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "collect/kept_files.h"
#include "wire/format.h"

namespace opsight::collect {

bool read_schedstat(const char* text, uint64_t& ran_ns, uint64_t& waited_ns) {
    char* end = nullptr;
    ran_ns = std::strtoull(text, &end, 10);
    if (end == text || *end != ' ') return false;
    const char* second = end + 1;
    waited_ns = std::strtoull(second, &end, 10);
    return end != second && *end == ' ';
}

bool RunQueue::read(uint64_t& ran_ns, uint64_t& waited_ns) const {
    char text[96];
    const ssize_t bytes = pread(file_, text, sizeof text - 1, 0);
    if (bytes <= 0) return false;
    text[bytes] = '\0';
    return read_schedstat(text, ran_ns, waited_ns);
}

void RunQueue::open() {
    const int kept_errno = errno;
    const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    file_ = file < 0 ? -1 : keep_file(file);
    uint64_t ran_ns = 0, waited_ns = 0;
    // A kernel that counts nothing of it shows zeros: a thread that asks has run.
    if (file_ >= 0 && (!read(ran_ns, waited_ns) || ran_ns == 0)) close();
    next_ = file_ >= 0 ? 0 : UINT64_MAX;
    errno = kept_errno;
}

void RunQueue::close() {
    if (file_ >= 0) close_kept(file_);
    file_ = -1;
    next_ = UINT64_MAX;
}

void RunQueue::sample(wire::ThreadStream& stream, uint64_t now) {
    const int kept_errno = errno;
    uint64_t ran_ns = 0, waited_ns = 0;
    if (!read(ran_ns, waited_ns)) {  // the program closed it; its number may be another file's soon
        next_ = UINT64_MAX;
    } else if (auto* record = stream.begin_record<wire::RunQueueRecord>(wire::RecordType::kRunQueue)) {
        record->time = now;
        record->waited_ns = waited_ns;
        stream.commit(sizeof *record);
        next_ = now + kEvery;
    }
    errno = kept_errno;
}

}  // namespace opsight::collect
