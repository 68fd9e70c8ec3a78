#include "query/reports/op_callers.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;
using Called = std::shared_ptr<const std::vector<CalledOps>>;

// What op each instance is of, by its id.
class Instances {
  public:
    static Result<Instances> read(Session& session) {
        Instances all;
        OPSIGHT_TRY(session.scan(sql::ops_by_id, [&all](const duck::Batch& batch) {
            const auto *id = batch.column<int32_t>(0), *op = batch.column<int32_t>(1);
            for (size_t i = 0; i < batch.size(); ++i)
                all.rows_.push_back({id[i], op[i]});
        }));
        if (!std::is_sorted(all.rows_.begin(), all.rows_.end(), by_id))
            std::sort(all.rows_.begin(), all.rows_.end(), by_id);
        return all;
    }
    // -1: there is none. Quick where ids rise, and where those that call are near those that they call.
    int32_t caller_of(int32_t id, int32_t caller) {
        while (at_ > 0 && rows_[at_ - 1].id >= id)
            --at_;
        while (at_ < rows_.size() && rows_[at_].id < id)
            ++at_;
        size_t end = at_, step = 1;
        while (end > 0 && rows_[end - 1].id > caller) {
            end -= std::min(step, end);
            step *= 2;
        }
        const auto found =
            std::lower_bound(rows_.begin() + static_cast<std::ptrdiff_t>(end > 0 ? end - 1 : 0), rows_.end(),
                             Row{caller, 0}, by_id);
        return found != rows_.end() && found->id == caller ? found->op : -1;
    }

  private:
    struct Row {
        int32_t id = 0, op = 0;
    };
    static bool by_id(const Row& a, const Row& b) { return a.id < b.id; }
    std::vector<Row> rows_;
    size_t at_ = 0;
};

// Sums by two identities. Most often the two are among the last that were seen.
class Sums {
  public:
    void add(int32_t op, int32_t caller, int64_t ns) {
        const uint64_t key =
            static_cast<uint64_t>(static_cast<uint32_t>(op)) << 32 | static_cast<uint32_t>(caller);
        Recent& recent = recent_[(key * 0x9E3779B97F4A7C15) >> kShift];
        if (!recent.sums || recent.key != key)
            recent = {key, &all_.try_emplace(key, CalledOps{op, caller}).first->second};
        ++recent.sums->calls;
        recent.sums->ns += ns;
    }
    std::vector<CalledOps> take() const {
        std::vector<CalledOps> out;
        for (const auto& [key, sums] : all_)
            out.push_back(sums);
        return out;
    }

  private:
    struct Recent {
        uint64_t key = 0;
        CalledOps* sums = nullptr;
    };
    static constexpr unsigned kShift = 64 - 12;
    std::unordered_map<uint64_t, CalledOps> all_;  // its elements stay where they are
    std::vector<Recent> recent_ = std::vector<Recent>(size_t{1} << (64 - kShift));
};

Result<Called> read_called(Session& session) {
    OPSIGHT_ASSIGN(Instances instances, Instances::read(session));
    Sums sums;
    OPSIGHT_TRY(session.scan(sql::called_ops, [&](const duck::Batch& batch) {
        const auto *id = batch.column<int32_t>(0), *op = batch.column<int32_t>(1),
                   *caller = batch.column<int32_t>(2);
        const auto* ns = batch.column<int64_t>(3);
        for (size_t i = 0; i < batch.size(); ++i)
            if (const int32_t of = instances.caller_of(id[i], caller[i]); of >= 0) sums.add(op[i], of, ns[i]);
    }));
    return std::make_shared<const std::vector<CalledOps>>(sums.take());
}

struct Identity {
    std::string type, direction;
};

Result<std::map<int64_t, Identity>> identities(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::op_directions_and_types));
    std::map<int64_t, Identity> all;
    for (const auto& row : rows.rows)
        all[integer(row[0])] = {text(row[1]), text(row[2])};
    return all;
}

}  // namespace

Result<Called> called_ops(Session& session) {
    return session.remember<Called>("called_ops", [&session] { return read_called(session); });
}

Result<std::vector<NestedType>> nested_types(Session& session) {
    OPSIGHT_ASSIGN(const Called called, called_ops(session));
    OPSIGHT_ASSIGN(const auto named, identities(session));
    std::map<std::string, NestedType> types;
    for (const CalledOps& each : *called) {
        const auto op = named.find(each.op), caller = named.find(each.caller);
        if (op == named.end() || caller == named.end() || op->second.type != caller->second.type) continue;
        NestedType& sums = types[op->second.type];
        sums.type = op->second.type;
        sums.calls += each.calls;
        sums.ns += each.ns;
    }
    std::vector<NestedType> out;
    for (auto& [type, sums] : types)
        out.push_back(std::move(sums));
    std::stable_sort(out.begin(), out.end(),
                     [](const NestedType& a, const NestedType& b) { return a.ns > b.ns; });
    return out;
}

Result<bool> forward_in_backward(Session& session) {
    OPSIGHT_ASSIGN(const Called called, called_ops(session));
    OPSIGHT_ASSIGN(const auto named, identities(session));
    return std::any_of(called->begin(), called->end(), [&named](const CalledOps& each) {
        const auto op = named.find(each.op), caller = named.find(each.caller);
        return op != named.end() && caller != named.end() && op->second.direction == "fprop" &&
               caller->second.direction == "bprop";
    });
}

}  // namespace opsight::query
