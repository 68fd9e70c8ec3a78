// Device work of legacy autograd traces (torch.autograd.profiler without Kineto). A row of "CUDA functions"
// is a kernel where the trace was made of nvprof's records; else it has an op's name, and tells what the
// device took from the begin to the end of that op: such rows nest as the ops do.
#include <algorithm>

#include "import/kineto/assembler.h"

namespace opsight::importer::kineto {
namespace {

// Of each row the time that no row inside it has. The rows are of one device, outer ones first.
class OwnTimes {
  public:
    explicit OwnTimes(ProfileBuilder& builder) : builder_(builder) {}

    void add(const DeviceSpan& row) {
        close_until(row.begin);
        if (!open_.empty()) emit(row.begin);
        at_ = row.begin;
        open_.push_back({&row, false});
    }
    void close_until(int64_t time) {
        while (!open_.empty() && end(*open_.back().row) <= time) {
            emit(end(*open_.back().row));
            if (!open_.back().is_shown) show(open_.back().row->begin, 0);
            open_.pop_back();
        }
    }

  private:
    struct Open {
        const DeviceSpan* row;
        bool is_shown;  // one without time of its own is shown all the same
    };
    static int64_t end(const DeviceSpan& row) { return row.begin + row.dur; }
    void emit(int64_t until) {
        if (until <= at_) return;
        show(at_, until - at_);
        at_ = until;
    }
    void show(int64_t begin, int64_t dur) {
        DeviceSpan piece = *open_.back().row;
        piece.begin = begin;
        piece.dur = dur;
        builder_.add_device(piece);
        open_.back().is_shown = true;
    }

    ProfileBuilder& builder_;
    std::vector<Open> open_;
    int64_t at_ = 0;
};

}  // namespace

void Assembler::finish_legacy_device() {
    // An arrow ends where its row begins; of several that begin together in the order of the file.
    std::map<std::pair<uint32_t, int64_t>, std::vector<int64_t>> arrows;
    for (const FlowEnd& flow : flows_)
        if (const TrackId track = places_[flow.track.index()].device; !flow.is_start && track.valid())
            arrows[{track.value, flow.time}].push_back(flow.id);
    std::map<std::pair<uint32_t, int64_t>, size_t> taken;
    std::map<TrackId, std::vector<const DeviceSpan*>> times_of_ops;
    for (DeviceSpan& span : legacy_device_) {
        const auto found = arrows.find({span.track.value, span.begin});
        if (found != arrows.end())
            if (size_t& next = taken[found->first]; next < found->second.size())
                span.correlation = found->second[next++];
        if (legacy_ops_.contains(span.name))
            times_of_ops[span.track].push_back(&span);
        else
            builder_.add_device(span);
    }
    for (auto& [track, rows] : times_of_ops) {
        builder_.diagnostics().add(Diag::kOpTimesOfDevice,
                                   {file_, -1, -1, std::string(builder_.view(rows[0]->name))},
                                   static_cast<int64_t>(rows.size()));
        std::stable_sort(rows.begin(), rows.end(), [](const DeviceSpan* a, const DeviceSpan* b) {
            return a->begin != b->begin ? a->begin < b->begin : a->dur > b->dur;
        });
        OwnTimes own(builder_);
        for (const DeviceSpan* row : rows)
            own.add(*row);
        own.close_until(INT64_MAX);
    }
}

}  // namespace opsight::importer::kineto
