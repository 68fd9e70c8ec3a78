#include "analyze/joined_ops.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analyze/same_order.h"
#include "cost/torch_call.h"

namespace opsight::analyze {
namespace {

constexpr uint32_t kTwice = UINT32_MAX;
constexpr size_t kMostProblems = 8;

// Rows of ops by track.
using CallsByThread = std::map<uint32_t, std::vector<uint32_t>>;

// Arguments that both tell: "[[2, 3], []]". Where one tells the tensors of a list and the other does not,
// their numbers differ, and nothing is said.
bool contradict(std::string_view one, std::string_view other) {
    const std::vector<Shape> a = cost::read_shapes(one), b = cost::read_shapes(other);
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (!a[i].empty() && !b[i].empty() && a[i] != b[i]) return true;
    return false;
}

class JoinOps {
  public:
    explicit JoinOps(Profile& profile) : p_(profile) {
        for (size_t i = 0; i < p_.signatures.size(); ++i)
            known_.try_emplace(key(p_.signatures[i]), SignatureId(i));
        for (const HostKind kind : p_.host.kind)
            out_.ops += kind == HostKind::kOp;
    }

    void add(const ExecutionTrace& trace) {
        out_.told += std::ssize(trace.ops);
        out_.odd_nodes += trace.odd_nodes;
        const std::optional<RankId> rank = rank_of(trace);
        if (!rank) return;
        const CallsByThread calls = calls_of(*rank, trace.process);
        numbers_.clear();
        for (const auto& [track, rows] : calls)
            for (const uint32_t row : rows)
                if (const int64_t number = p_.op_details.record_function(p_.host.detail[row]); number >= 0)
                    if (!numbers_.try_emplace(number, row).second) numbers_[number] = kTwice;
        if (numbers_.empty() && trace.is_part)
            return tell(
                trace,
                "tells a part of the calls, and the trace has no numbers (Record function id) of them");
        if (numbers_.empty()) return join_by_order(trace, calls);
        join_by_number(trace);
    }

    JoinedOps take() { return std::move(out_); }

  private:
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
    static Key key(const Signature& s) {
        return {s.shapes.value, s.dtypes.value, s.concrete.value, s.strides.value};
    }

    // Names that are gone through to find threads of execution traces, over all of them: some ten seconds.
    static constexpr int64_t kMostLooked = 1'000'000'000;

    void tell(const ExecutionTrace& trace, const std::string& problem) {
        if (out_.problems.size() < kMostProblems)
            out_.problems.push_back(fmt::format("{} {}", trace.source, problem));
    }

    const Track& track_of(size_t row) const { return p_.tracks[p_.host.track[row].index()]; }

    std::optional<RankId> rank_of(const ExecutionTrace& trace) {
        std::set<RankId> ranks;
        std::set<int64_t> processes;
        for (size_t row = 0; row < p_.host.size(); ++row) {
            if (p_.host.kind[row] != HostKind::kOp) continue;
            const Track& track = track_of(row);
            processes.insert(track.pid);
            if (trace.process < 0 || track.pid == trace.process) ranks.insert(track.rank);
        }
        if (ranks.empty()) {
            tell(trace,
                 fmt::format("is of process {}, and the ops of the trace are of {}: another run",
                             trace.process,
                             processes.empty() ? "none" : fmt::format("{}", fmt::join(processes, ", "))));
            return std::nullopt;
        }
        if (ranks.size() > 1)
            std::erase_if(ranks,
                          [&](RankId rank) { return p_.ranks[rank.index()].number != trace.rank_hint; });
        if (ranks.size() == 1) return *ranks.begin();
        tell(trace, "may be of several ranks: give it the number of its rank as name (rank3.json)");
        return std::nullopt;
    }

    // In the order in which they began. Times of a trace may be whole µs, so several begin at once; the
    // profiler's own numbers of them rise.
    CallsByThread calls_of(RankId rank, int64_t process) const {
        CallsByThread calls;
        for (uint32_t row = 0; row < p_.host.size(); ++row) {
            const Track& track = track_of(row);
            if (p_.host.kind[row] == HostKind::kOp && track.rank == rank &&
                (process < 0 || track.pid == process))
                calls[p_.host.track[row].value].push_back(row);
        }
        for (auto& [track, rows] : calls) {
            std::vector<uint32_t> numbered = rows;
            const auto number = [this](uint32_t row) {
                return p_.op_details.external_id[p_.host.detail[row]];
            };
            std::stable_sort(numbered.begin(), numbered.end(),
                             [&](uint32_t a, uint32_t b) { return number(a) < number(b); });
            const bool are_distinct =
                std::adjacent_find(numbered.begin(), numbered.end(), [&](uint32_t a, uint32_t b) {
                    return number(a) == number(b);
                }) == numbered.end();
            if (number(numbered.front()) >= 0 && are_distinct) rows = std::move(numbered);
        }
        return calls;
    }

    void join_by_number(const ExecutionTrace& trace) {
        std::vector<std::pair<uint32_t, const ExecutedOp*>> pairs;
        absl::flat_hash_map<int64_t, int> told;
        for (const ExecutedOp& op : trace.ops)
            if (op.record_function >= 0) ++told[op.record_function];
        int64_t of_others = 0;
        for (const ExecutedOp& op : trace.ops) {
            const auto found = numbers_.find(op.record_function);
            if (op.record_function < 0 || told[op.record_function] > 1 || found == numbers_.end() ||
                found->second == kTwice)
                continue;
            if (p_.strings.view(p_.host.name[found->second]) == trace.strings.view(op.name))
                pairs.emplace_back(found->second, &op);
            else
                ++of_others;
        }
        if (of_others > std::ssize(pairs))
            return tell(trace,
                        fmt::format("numbers {} calls as the trace numbers ops of other names: another run",
                                    of_others));
        for (const auto& [row, op] : pairs)
            give(row, *op, trace.strings);
        out_.by_number += std::ssize(pairs);
    }

    // Names of both as the profile numbers them; those that it does not have are like no other.
    Sequence sequence_of(const ExecutionTrace& trace, std::span<const ExecutedOp> ops) const {
        Sequence out;
        for (const ExecutedOp& op : ops) {
            out.names.push_back(p_.strings.find(trace.strings.view(op.name)).value);
            out.numbers.push_back(op.sequence);
        }
        return out;
    }
    Sequence sequence_of(const std::vector<uint32_t>& rows) const {
        Sequence out;
        for (const uint32_t row : rows) {
            out.names.push_back(p_.host.name[row].value);
            out.numbers.push_back(p_.op_details.sequence[p_.host.detail[row]]);
        }
        return out;
    }

    void join_by_order(const ExecutionTrace& trace, const CallsByThread& calls) {
        std::vector<Sequence> threads;
        std::vector<const std::vector<uint32_t>*> rows;
        int64_t all_calls = 0;
        for (const auto& [track, each] : calls) {
            all_calls += std::ssize(each);
            threads.push_back(sequence_of(each));
            rows.push_back(&each);
        }
        for (size_t begin = 0, end = 0; begin < trace.ops.size(); begin = end) {
            while (end < trace.ops.size() && trace.ops[end].thread == trace.ops[begin].thread)
                ++end;
            const std::span<const ExecutedOp> ops(trace.ops.data() + begin, end - begin);
            looked_ += static_cast<int64_t>(threads.size()) * std::ssize(ops) + all_calls;
            if (looked_ > kMostLooked)
                return tell(trace, "has too many threads to look for all of them in the trace");
            const FoundPlace found = find_place(sequence_of(trace, ops), threads);
            if (!found.place) {
                tell(trace, fmt::format("has {} calls in thread {} that {}", ops.size(),
                                        trace.ops[begin].thread, found.why));
                continue;
            }
            const Place& place = *found.place;
            for (size_t i = 0; i < place.length; ++i)
                give((*rows[place.thread])[place.there + i], ops[place.here + i], trace.strings);
            out_.by_order += static_cast<int64_t>(place.length);
        }
    }

    // The profile's own words stay.
    void give(uint32_t row, const ExecutedOp& op, const StringPool& strings) {
        SignatureId& id = p_.op_details.signature[p_.host.detail[row]];
        const Signature before = id.valid() ? p_.signatures[id.index()]
                                            : Signature{StringId(0), StringId(0), StringId(0), StringId(0)};
        Signature after = before;
        if (before.shapes.value != 0) {
            if (contradict(p_.strings.view(before.shapes), strings.view(op.shapes))) {
                ++out_.contradicted;
                return;
            }
            ++out_.alike;
        }
        const auto fill = [&](StringId& to, StringId from) {
            if (to.value == 0) to = p_.strings.intern(strings.view(from));
        };
        fill(after.shapes, op.shapes);
        fill(after.dtypes, op.dtypes);
        fill(after.concrete, op.concrete);
        fill(after.strides, op.strides);
        if (after == before) return;
        ++out_.given;
        const auto [found, is_new] = known_.try_emplace(key(after), SignatureId(p_.signatures.size()));
        if (is_new) p_.signatures.push_back(after);
        id = found->second;
    }

    Profile& p_;
    int64_t looked_ = 0;
    JoinedOps out_;
    absl::flat_hash_map<Key, SignatureId> known_;
    absl::flat_hash_map<int64_t, uint32_t> numbers_;  // rows; kTwice: of several calls
};

}  // namespace

std::string JoinedOps::summary() const {
    std::string text = fmt::format("{} of {} calls joined with {} of {} ops", joined(), told, joined(), ops);
    if (by_number > 0) text += fmt::format(" by their numbers");
    if (by_order > 0)
        text += fmt::format("{} {} by thread, name and order", by_number > 0 ? "," : ":", by_order);
    text += fmt::format("; {} got shapes or values", given);
    if (alike > 0) text += fmt::format("; {} have the same shapes in the trace", alike);
    if (contradicted > 0)
        text += fmt::format("; {} have other shapes in the trace, which stay", contradicted);
    if (odd_nodes > 0) text += fmt::format("; {} nodes are not of a form that is read", odd_nodes);
    if (!problems.empty()) text += fmt::format("; not joined: {}", fmt::join(problems, "; "));
    return text;
}

JoinedOps join_execution_traces(Profile& profile, const std::vector<ExecutionTrace>& traces) {
    JoinOps join(profile);
    for (const ExecutionTrace& trace : traces)
        join.add(trace);
    return join.take();
}

}  // namespace opsight::analyze
