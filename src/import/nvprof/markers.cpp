// NVTX ranges and marks. A range is a row at its begin, which has its text, and a row of the same number at
// its end.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "import/nvprof/database.h"
#include "import/nvtx/spans.h"

namespace opsight::importer::nvprof {
namespace {

class MarkerReader {
  public:
    explicit MarkerReader(Database& database)
        : database_(database), report_(database.report()), builder_(database.builder()) {}

    Status run() {
        OPSIGHT_TRY(report_.read(
            "CUPTI_ACTIVITY_KIND_MARKER_DATA", {"id", "color", "category"},
            [this](Table& row) {
                looks_[row.number(0)] = {row.number(1), row.number(2, 0)};
            },
            false));
        OPSIGHT_TRY(report_.read("CUPTI_ACTIVITY_KIND_MARKER",
                                 {"timestamp", "flags", "id", "objectKind", "objectId", "name", "domain"},
                                 [this](Table& row) { take(row); }));
        add_ranges();
        return {};
    }

  private:
    enum { kTime, kFlags, kId, kObjectKind, kObject, kName, kDomain };
    enum Flag : int64_t { kMark = 1, kBegin = 2, kEnd = 4 };
    struct Range {
        int64_t begin = 0, end = -1, id = 0;
        TrackId track, end_track;
        StringId text{0};
        int64_t domain = 0;
        bool mark = false;
    };
    struct Look {
        int64_t color = -1, category = 0;
    };

    void take(Table& row) {
        int64_t time = 0;
        if (!report_.time(row, kTime, time)) return;
        Object object;
        if (!read_object(row.text(kObject), object))
            return report_.note(Diag::kUnreadRow,
                                fmt::format("an NVTX marker of object kind {}", row.number(kObjectKind)));
        database_.set_process(object.process);
        const int64_t flags = row.number(kFlags, 0), id = row.number(kId);
        if (flags & kEnd) return end(id, time, database_.thread(object.thread));
        if (!(flags & (kMark | kBegin)))
            return report_.note(Diag::kUnreadRow, fmt::format("an NVTX marker with flags {}", flags));
        Range range;
        range.begin = time;
        range.id = id;
        range.track = database_.thread(object.thread);
        range.text = database_.text(row.number(kName));
        range.domain = row.number(kDomain, 0);
        range.mark = flags & kMark;
        if (!range.mark) open_[id] = ranges_.size();
        ranges_.push_back(range);
    }

    void end(int64_t id, int64_t time, TrackId track) {
        const auto found = open_.find(id);
        if (found == open_.end())
            return report_.note(Diag::kEndWithoutBegin, fmt::format("NVTX range {}", id));
        Range& range = ranges_[found->second];
        range.end = time;
        if (track != range.track) range.end_track = track;
        open_.erase(found);
    }

    void add_ranges() {
        std::stable_sort(ranges_.begin(), ranges_.end(),
                         [](const Range& a, const Range& b) { return a.begin < b.begin; });
        for (const Range& range : ranges_)
            add(range);
    }

    void add(const Range& range) {
        HostSpan span;
        span.begin = range.begin;
        span.track = range.track;
        if (!range.mark && range.end < 0) {
            span.flags = kUnfinished;
            report_.note(Diag::kUnfinishedSpan, std::string(builder_.view(range.text)));
        } else if (!range.mark && range.end < range.begin) {
            report_.note(Diag::kNegativeDuration, std::string(builder_.view(range.text)));
        } else if (!range.mark) {
            span.dur = range.end - range.begin;
        }
        NvtxAttributes attributes;
        attributes.type = range.mark                ? NvtxType::kMark
                          : range.end_track.valid() ? NvtxType::kStartEnd
                                                    : NvtxType::kPushPop;
        attributes.domain = range.domain;
        if (range.domain > 0) attributes.domain_name = database_.text(range.domain);
        if (const auto look = looks_.find(range.id); look != looks_.end()) {
            attributes.color = look->second.color;
            attributes.category = look->second.category;
        }
        spans_.add(span, range.end_track, range.text,
                   marks::nvtx_domain(builder_.view(attributes.domain_name)),
                   builder_.nvtx_attributes(attributes), attributes.type);
    }

    Database& database_;
    Report& report_;
    ProfileBuilder& builder_;
    std::vector<Range> ranges_;
    absl::flat_hash_map<int64_t, size_t> open_;
    absl::flat_hash_map<int64_t, Look> looks_;
    nvtx::Spans spans_{builder_};
};

}  // namespace

Status read_markers(Database& database) {
    return MarkerReader(database).run();
}

}  // namespace opsight::importer::nvprof
