#include "import/nvprof/database.h"

#include <fmt/format.h>

#include <cstring>

#include "import/text/demangle.h"

namespace opsight::importer::nvprof {

Status Database::load_texts() {
    return report_
        .read(
            "StringTable", {"_id_", "value"},
            [this](Table& row) {
                texts_.try_emplace(row.number(0), Text{std::string(row.text(1)), {}});
            },
            false)
        .map([](bool) {});
}

StringId Database::text(int64_t id) {
    const auto found = texts_.find(id);
    if (found == texts_.end()) {
        report_.note(Diag::kDanglingId, fmt::format("string {}", id));
        return builder().text("(name lost)");
    }
    Text& text = found->second;
    if (!text.id.valid()) text.id = report_.intern(demangle(text.raw));
    return text.id;
}

std::string_view Database::raw(int64_t id) const {
    const auto found = texts_.find(id);
    return found == texts_.end() ? std::string_view() : std::string_view(found->second.raw);
}

void Database::set_process(int64_t pid) {
    if (pid_ == 0 && pid > 0) pid_ = pid;
}

TrackId Database::thread(int64_t tid) {
    return builder().host_track(rank(), pid_, static_cast<uint32_t>(tid));
}

bool read_object(std::string_view bytes, Object& object) {
    if (bytes.size() < 12) return false;
    uint32_t process = 0;
    uint64_t thread = 0;
    std::memcpy(&process, bytes.data(), sizeof process);
    std::memcpy(&thread, bytes.data() + sizeof process, sizeof thread);
    object = {process, static_cast<uint32_t>(thread)};
    return true;
}

}  // namespace opsight::importer::nvprof
