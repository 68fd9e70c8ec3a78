#include "analyze/numbered_layers.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>

#include "analyze/track_rows.h"

namespace opsight::analyze {
namespace {

constexpr std::array<std::string_view, 5> kLayerWords = {"layer", "layers", "block", "blocks", "h"};
// Words for a layer only where a sign joins them to the number: "decoder 3" may be the third step of one.
constexpr std::array<std::string_view, 4> kJoinedWords = {"stage", "stages", "encoder", "decoder"};
constexpr std::string_view kJoints = "._/";
constexpr size_t kFewest = 3;  // stretches that name layers, for the names to tell

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// Whether what ends at `end` is a word for a layer, with at most one sign between it and there.
bool ends_with_layer_word(std::string_view text, size_t end) {
    const bool joined = end > 0 && kJoints.find(text[end - 1]) != std::string_view::npos;
    if (end > 0 && !is_letter(text[end - 1])) --end;
    size_t begin = end;
    while (begin > 0 && is_letter(text[begin - 1]))
        --begin;
    std::array<char, 8> word{};
    if (end - begin > word.size()) return false;
    std::transform(text.begin() + static_cast<ptrdiff_t>(begin), text.begin() + static_cast<ptrdiff_t>(end),
                   word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string_view found(word.data(), end - begin);
    return std::find(kLayerWords.begin(), kLayerWords.end(), found) != kLayerWords.end() ||
           (joined && std::find(kJoinedWords.begin(), kJoinedWords.end(), found) != kJoinedWords.end());
}

}  // namespace

std::optional<int64_t> layer_number(std::string_view name) {
    for (size_t i = 0; i < name.size(); ++i) {
        if (!is_digit(name[i]) || (i > 0 && is_digit(name[i - 1]))) continue;
        int64_t number = 0;
        if (std::from_chars(name.data() + i, name.data() + name.size(), number).ec == std::errc() &&
            ends_with_layer_word(name, i))
            return number;
    }
    return std::nullopt;
}

bool are_parts_of_a_pass(const Profile& profile, RankId rank, const std::vector<int64_t>& begins,
                         int64_t end) {
    absl::flat_hash_map<StringId, std::optional<int64_t>> known;
    std::vector<std::set<int64_t>> layers(begins.size());
    const HostSpans& host = profile.host;
    for (const TrackRows& thread : track_rows(host.track)) {
        if (profile.tracks[thread.track.index()].rank != rank) continue;
        for (auto row = static_cast<size_t>(thread.first); row < static_cast<size_t>(thread.last); ++row) {
            if (host.kind[row] != HostKind::kAnnotation || host.begin[row] >= end) continue;
            const auto next = std::upper_bound(begins.begin(), begins.end(), host.begin[row]);
            if (next == begins.begin()) continue;
            const auto [at, is_new] = known.try_emplace(host.name[row]);
            if (is_new) at->second = layer_number(profile.strings.view(host.name[row]));
            if (at->second) layers[static_cast<size_t>(next - begins.begin()) - 1].insert(*at->second);
        }
    }
    size_t named = 0, other = 0;
    const std::set<int64_t>* before = nullptr;
    for (const std::set<int64_t>& now : layers) {
        if (now.empty()) continue;
        ++named;
        other += before && *before != now ? 1 : 0;
        before = &now;
    }
    return named >= kFewest && 4 * other >= 3 * (named - 1);
}

}  // namespace opsight::analyze
