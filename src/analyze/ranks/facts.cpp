#include "analyze/ranks/facts.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <tuple>

#include "cost/torch_call.h"
#include "model/model_graph.h"

namespace opsight::analyze {
namespace {

class FactFinder {
  public:
    FactFinder(const Profile& profile, const Analysis& analysis)
        : p_(profile), a_(analysis), calls_(find_calls(profile)), matches_(match_calls(profile, calls_)) {}

    RankFacts find() {
        std::vector<uint32_t> order(matches_.calls.size());
        std::iota(order.begin(), order.end(), 0U);
        std::vector<int64_t> begins;
        for (const MatchedCall& call : matches_.calls)
            begins.push_back(first_begin(call));
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t x, uint32_t y) { return begins[x] < begins[y]; });
        facts_.members.reserve(matches_.members.size());
        for (const uint32_t id : order)
            add(matches_.calls[id]);
        count_ranks();
        return std::move(facts_);
    }

  private:
    const CommCall& member(const MatchedCall& call, uint32_t i) const {
        return calls_.calls[matches_.members[call.first + i]];
    }

    int64_t first_begin(const MatchedCall& call) const {
        int64_t first = INT64_MAX;
        for (uint32_t i = 0; i < call.count; ++i)
            first = std::min(first, member(call, i).begin);
        return first;
    }

    void add(const MatchedCall& matched) {
        const CommKey& key = calls_.keys[matched.key];
        CollectiveCall call;
        call.group = group_of(key, matched);
        call.name = key.name;
        call.ranks = matched.ranks;
        call.state = matched.state;
        call.first = static_cast<uint32_t>(facts_.members.size());
        call.count = matched.count;
        call.first_begin = call.end = member(matched, 0).begin;
        for (uint32_t i = 0; i < matched.count; ++i)
            add_member(call, member(matched, i), key.on_host);
        facts_.calls.push_back(call);
    }

    // What the op of a process group tells of the range in which its backend carried it out.
    void tell_host(CollectiveCall& call, const CommCall& one) const {
        if (!call.op.valid()) call.op = one.op;
        if (!one.collective.valid()) return;
        const Collective& told = p_.collectives[one.collective.index()];
        // A send and its receive are told by who sends.
        if (!call.told.valid() || p_.strings.view(told.name) == "send") {
            call.told = one.collective;
            call.name = told.name;
        }
        std::string type(p_.strings.view(told.dtype));
        std::transform(type.begin(), type.end(), type.begin(),
                       [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
        const ElementType element = cost::torch_type(type);
        const double elements = static_cast<double>(std::max(told.in_elements, told.out_elements));
        const double bytes = elements * static_cast<double>(bits_of(element)) / 8;
        if (told.in_elements < 0 || told.out_elements < 0 || element == ElementType::kUnknown ||
            bytes >= static_cast<double>(INT64_MAX / 2))
            return;
        call.bytes = std::max(call.bytes, static_cast<int64_t>(bytes));
    }

    void add_member(CollectiveCall& call, const CommCall& one, bool on_host) {
        const auto id = static_cast<uint32_t>(facts_.calls.size());
        facts_.members.push_back({id, one.rank, one.row, one.begin, one.dur});
        call.first_begin = std::min(call.first_begin, one.begin);
        call.last_begin = std::max(call.last_begin, one.begin);
        call.end = std::max(call.end, one.end());
        ranks_.emplace_back(call.group, one.rank);
        if (on_host) return tell_host(call, one);
        if (!call.kernel.valid()) call.kernel = a_.kernel[one.row];
        if (one.collective.valid() && !call.told.valid()) {
            call.told = one.collective;
            const Collective& told = p_.collectives[one.collective.index()];
            if (told.name.valid() && told.name.value != 0) call.name = told.name;
        }
        if (!call.told.valid()) name_by_op(call, one);
        call.bytes = std::max(call.bytes, bytes_of(one));
    }

    // Older traces do not describe collectives; the op of PyTorch that called tells which it was, where the
    // kernel's name is that of sends and receives whatever they make.
    void name_by_op(CollectiveCall& call, const CommCall& one) const {
        constexpr int kMostOps = 8;
        HostSpanId op = a_.launch_op[one.row];
        for (int i = 0; op.valid() && i < kMostOps; ++i, op = a_.op_span[op.index()]) {
            const StringId name = p_.host.name[op.index()];
            const std::string_view text = p_.strings.view(name);
            if (!text.starts_with("c10d::") || collective_kind(text) == CollectiveKind::kOther) continue;
            call.name = name;
            return;
        }
    }

    // Counted are the elements in and out; the size of a collective is the larger of both.
    int64_t bytes_of(const CommCall& one) const {
        if (!one.collective.valid() || a_.span_work.empty() || a_.span_work[one.row] < 0) return -1;
        const Collective& c = p_.collectives[one.collective.index()];
        const double in = static_cast<double>(c.in_elements), out = static_cast<double>(c.out_elements);
        if (in < 0 || out < 0 || in + out <= 0) return -1;
        const CountedWork& work = a_.works[static_cast<size_t>(a_.span_work[one.row])];
        const double bytes = work.bytes * a_.span_share[one.row] * std::max(in, out) / (in + out);
        return bytes < static_cast<double>(INT64_MAX / 2) ? static_cast<int64_t>(bytes) : -1;
    }

    uint32_t group_of(const CommKey& key, const MatchedCall& call) {
        const bool told = key.group_name.value != 0 || key.group_ranks.value != 0;
        const CollectiveKind of = told ? CollectiveKind::kOther : key.kind;
        const auto [it, is_new] = groups_.try_emplace(
            {key.group_name.value, key.group_ranks.value, told ? -1 : static_cast<int>(of), key.on_host},
            facts_.groups.size());
        if (is_new) {
            CommGroup group;
            group.name = key.group_name;
            group.ranks = key.group_ranks;
            group.of = of;
            group.on_host = key.on_host;
            facts_.groups.push_back(std::move(group));
        }
        CommGroup& group = facts_.groups[it->second];
        group.size = std::max({group.size, call.ranks, key.group_size});
        for (uint32_t i = 0; i < call.count && group.description.value == 0; ++i)
            if (const CollectiveId id = member(call, i).collective; id.valid())
                if (const StringId text = p_.collectives[id.index()].group_description; text.valid())
                    group.description = text;
        return static_cast<uint32_t>(it->second);
    }

    void count_ranks() {
        std::sort(ranks_.begin(), ranks_.end());
        ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
        for (const auto& [group, rank] : ranks_)
            ++facts_.groups[group].recorded;
    }

    const Profile& p_;
    const Analysis& a_;
    const CommCalls calls_;
    const Matches matches_;
    RankFacts facts_;
    absl::flat_hash_map<std::tuple<uint32_t, uint32_t, int, bool>, size_t> groups_;
    std::vector<std::pair<uint32_t, RankId>> ranks_;
};

}  // namespace

RankFacts find_rank_facts(const Profile& profile, const Analysis& analysis, std::vector<RankClock> clocks) {
    RankFacts facts = FactFinder(profile, analysis).find();
    facts.clocks = std::move(clocks);
    guess_groups(profile, analysis, facts);
    find_links(profile, analysis, facts);
    find_costs(profile, analysis, facts);
    return facts;
}

}  // namespace opsight::analyze
