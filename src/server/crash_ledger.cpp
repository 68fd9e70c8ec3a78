#include "server/crash_ledger.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace opsight::server {

Result<std::shared_ptr<CrashLedger>> CrashLedger::make(size_t profiles) {
    const size_t bytes = sizeof(Record) * std::max<size_t>(profiles, 1);
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return fail(std::strerror(errno));
    auto* records = static_cast<Record*>(memory);
    for (size_t i = 0; i < profiles; ++i)
        new (records + i) Record;
    return std::shared_ptr<CrashLedger>(new CrashLedger(records, profiles));
}

CrashLedger::~CrashLedger() {
    ::munmap(records_, sizeof(Record) * std::max<size_t>(size_, 1));
}

std::vector<size_t> CrashLedger::note_crash() {
    std::vector<size_t> found;
    for (size_t i = 0; i < size_; ++i)
        if (records_[i].at_work.exchange(0) > 0) found.push_back(i);
    for (const size_t number : found) {
        ++records_[number].crashes;
        if (found.size() == 1) records_[number].alone = true;
    }
    return found;
}

}  // namespace opsight::server
