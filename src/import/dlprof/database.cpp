#include "import/dlprof/database.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsight::importer::dlprof {

Status Database::load_texts() {
    return report_
        .read(
            "dictionary", {"id", "string"},
            [this](Table& row) { dictionary_.try_emplace(row.number(0), row.text(1)); }, false)
        .map([](bool) {});
}

StringId Database::text(const Table& row, size_t column) {
    if (!row.has(column)) return StringId(size_t{0});
    if (!row.is_integer(column)) return lines(row.text(column));
    const int64_t id = row.number(column);
    const auto found = dictionary_.find(id);
    if (found != dictionary_.end()) return lines(found->second);
    if (id > 0) report_.note(Diag::kDanglingId, fmt::format("{}: text {}", row.name(), id));
    return StringId(size_t{0});
}

StringId Database::either(const Table& row, size_t first, size_t second) {
    const StringId told = text(row, first);
    return told.value != 0 ? told : text(row, second);
}

StringId Database::lines(std::string_view text) {
    while (text.ends_with('\n'))
        text.remove_suffix(1);
    if (text.find('\n') == text.npos) return report_.intern(text);
    std::string joined;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        joined.append(builder().view(report_.intern(text.substr(0, end)))).append("\n");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    joined.pop_back();
    return builder().text(joined);
}

int64_t Database::thread_id(const Table& row, size_t process, size_t thread) {
    constexpr int64_t kLow = 0xffffff;
    const int64_t pid = row.number(process, 0), tid = row.number(thread, 0);
    // Plain process ids have 24 bits; wider ones are packed already, as in the reports of nsys.
    return (pid >= 0 && pid <= kLow ? pid << 24 : pid & ~kLow) | (tid & kLow);
}

void Database::add_instance(int64_t op, int64_t thread, int64_t begin, int64_t end, int64_t id) {
    Instances& of = instances_[{op, thread}];
    of.sorted = of.sorted && (of.list.empty() || of.list.back().begin <= begin);
    of.list.push_back({begin, end, id});
}

int64_t Database::instance_at(int64_t op, int64_t thread, int64_t time) {
    const auto found = instances_.find({op, thread});
    if (found == instances_.end()) return -1;
    Instances& of = found->second;
    if (!of.sorted) std::stable_sort(of.list.begin(), of.list.end());
    of.sorted = true;
    const auto after = std::upper_bound(of.list.begin(), of.list.end(), Instance{time, 0, 0});
    if (after == of.list.begin()) return -1;
    const Instance& last = *std::prev(after);
    return time <= last.end ? last.id : -1;
}

}  // namespace opsight::importer::dlprof
