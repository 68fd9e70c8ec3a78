#include "import/rocprof/chrome_rows.h"

#include <charconv>

namespace opsight::importer::rocprof {

ChromeRow row_of_name(std::string_view name) {
    const auto ends = [name](std::string_view words) { return name.ends_with(words); };
    if (ends("CPU HIP API")) return ChromeRow::kHip;
    if (ends("CPU HSA API") || name == "CPU") return ChromeRow::kHsa;
    if (ends("CPU KFD API")) return ChromeRow::kKfd;
    if (ends("Markers and Ranges")) return ChromeRow::kMarkers;
    if (ends("COPY")) return ChromeRow::kCopies;
    return name.find("GPU") != name.npos ? ChromeRow::kGpu : ChromeRow::kUnknown;
}

std::optional<int64_t> number_in(const simdjson::dom::object& from, std::string_view key) {
    int64_t value = 0;
    if (from[key].get(value) == simdjson::SUCCESS) return value;
    std::string_view text;
    if (from[key].get(text) != simdjson::SUCCESS) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = error == std::errc() && end == text.data() + text.size();
    return good ? std::optional(value) : std::nullopt;
}

QueueWork work_of_name(std::string_view name) {
    const auto has = [name](std::string_view word) { return name.find(word) != name.npos; };
    if (has("barrier packet") || name == "Marker") return QueueWork::kWait;
    if (name.starts_with("Copy") || name.starts_with("Memcpy") || name.starts_with("async-copy"))
        return QueueWork::kCopy;
    return name.starts_with("Fill") ? QueueWork::kFill : QueueWork::kKernel;
}

}  // namespace opsight::importer::rocprof
