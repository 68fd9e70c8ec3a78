// What groups are for.
#include <fmt/format.h>

#include <array>
#include <string>

#include "analyze/ranks/facts.h"

namespace opsight::analyze {
namespace {

struct Word {
    std::string_view part;
    GroupKind kind;
};
// In names and descriptions, small letters, as whole words; the first counts.
constexpr std::array kWords = {Word{"fsdp", GroupKind::kShardedData}, Word{"shard", GroupKind::kShardedData},
                               Word{"tp", GroupKind::kTensor},        Word{"tensor", GroupKind::kTensor},
                               Word{"pp", GroupKind::kPipeline},      Word{"pipeline", GroupKind::kPipeline},
                               Word{"ep", GroupKind::kExpert},        Word{"expert", GroupKind::kExpert},
                               Word{"moe", GroupKind::kExpert},       Word{"dp", GroupKind::kData},
                               Word{"ddp", GroupKind::kData},         Word{"replicate", GroupKind::kData},
                               Word{"data", GroupKind::kData}};

constexpr size_t kKinds = static_cast<size_t>(CollectiveKind::kCount);

// How often collectives of each kind were called, and in which direction.
struct Use {
    std::array<int64_t, kKinds> calls{};
    std::array<int64_t, kKinds> forward{}, backward{};
    int64_t pairs = 0;  // sends and receives of two ranks, or of some of all
    int64_t of(CollectiveKind kind) const { return calls[static_cast<size_t>(kind)]; }
    int64_t forward_of(CollectiveKind kind) const { return forward[static_cast<size_t>(kind)]; }
    int64_t backward_of(CollectiveKind kind) const { return backward[static_cast<size_t>(kind)]; }
};

bool is_letter(char c) {
    return c >= 'a' && c <= 'z';
}

bool has_word(std::string_view text, std::string_view word) {
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end])))
            return true;
    }
    return false;
}

bool by_words(const Profile& profile, CommGroup& group) {
    for (const StringId id : {group.description, group.name}) {
        std::string text(profile.strings.view(id));
        for (char& c : text)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        for (const Word& word : kWords) {
            if (!has_word(text, word.part)) continue;
            group.kind = word.kind;
            group.evidence =
                fmt::format("its {} holds '{}'", id == group.name ? "name" : "description", word.part);
            return true;
        }
    }
    return false;
}

std::string list_of(const Use& use) {
    std::string text;
    for (size_t kind = 0; kind < kKinds; ++kind)
        if (use.calls[kind] > 0)
            text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", use.calls[kind],
                                kind_word(static_cast<CollectiveKind>(kind)));
    return text;
}

void by_use(CommGroup& group, const Use& use) {
    using enum CollectiveKind;
    const int64_t reduces = use.of(kAllReduce), gathers = use.of(kAllGather),
                  scatters = use.of(kReduceScatter);
    const std::string list = list_of(use);
    if (gathers > 0 && scatters > 0) {
        group.kind = GroupKind::kShardedData;
        group.evidence = list + ": parameters gathered, gradients reduced and scattered";
    } else if (use.of(kAllToAll) > 0) {
        group.kind = GroupKind::kExpert;
        group.evidence = list + ": all exchange with all (experts, or tables of embeddings)";
    } else if (reduces > 0 && use.forward_of(kAllReduce) > 0 && use.backward_of(kAllReduce) > 0) {
        group.kind = GroupKind::kTensor;
        group.evidence = fmt::format("{}: {} called in the forward and {} in the backward pass", list,
                                     use.forward_of(kAllReduce), use.backward_of(kAllReduce));
    } else if (reduces > 0 && use.backward_of(kAllReduce) > 0) {
        group.kind = GroupKind::kData;
        group.evidence = fmt::format("{}: {} called in the backward pass, none in the forward", list,
                                     use.backward_of(kAllReduce));
    } else if (use.pairs > 0 && reduces + gathers + scatters == 0) {
        group.kind = GroupKind::kPipeline;
        group.evidence = list + ": ranks send to each other, and all do not end together";
    } else if (reduces + gathers + scatters == 0 && use.of(kBroadcast) + use.of(kBarrier) > 0) {
        group.kind = GroupKind::kSetup;
        group.evidence = list + " only";
    } else {
        group.evidence = list + ": that tells no kind";
    }
}

// That called for it; invalid: not known.
OpId op_of(const Profile& profile, const Analysis& analysis, const RankFacts& facts,
           const CollectiveCall& call) {
    if (!facts.groups[call.group].on_host) return analysis.device_op[facts.members[call.first].row];
    return call.op.valid() ? analysis.op[profile.host.detail[call.op.index()]] : OpId();
}

}  // namespace

void guess_groups(const Profile& profile, const Analysis& analysis, RankFacts& facts) {
    std::vector<Use> uses(facts.groups.size());
    for (const CollectiveCall& call : facts.calls) {
        CollectiveKind of = collective_kind(profile.strings.view(call.name));
        const bool together = call.state == MatchState::kMatched && call.count > 2;
        if (of == CollectiveKind::kSendReceive && together) of = CollectiveKind::kAllToAll;
        if (of == CollectiveKind::kSendReceive &&
            (call.state == MatchState::kMatched || call.state == MatchState::kApart))
            ++uses[call.group].pairs;
        const auto kind = static_cast<size_t>(of);
        ++uses[call.group].calls[kind];
        if (call.count == 0) continue;
        const OpId op = op_of(profile, analysis, facts, call);
        if (!op.valid()) continue;
        const Direction direction = analysis.ops[op.index()].direction;
        if (direction == Direction::kForward) ++uses[call.group].forward[kind];
        if (direction == Direction::kBackward) ++uses[call.group].backward[kind];
    }
    for (size_t id = 0; id < facts.groups.size(); ++id)
        if (!by_words(profile, facts.groups[id])) by_use(facts.groups[id], uses[id]);
}

}  // namespace opsight::analyze
