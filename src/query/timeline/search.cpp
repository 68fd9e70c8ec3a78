// Search by part of a name, as shown or in full: how many spans match, and the next one in time.
//
// Cost: one look at each distinct name, and reading the names (4 bytes a span) of the tracks that have a
// match.
#include <algorithm>
#include <cctype>
#include <tuple>

#include "query/timeline/data.h"

namespace opsight::query {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

// Spans in order of time, then of tracks as shown, then of depth.
struct Position {
    int64_t begin = 0;
    size_t track = 0, lane = 0, span = 0;
    auto key() const { return std::tuple(begin, track, lane); }
};

class Matches {
  public:
    Matches(const Timeline::Data& data, const std::string& text)
        : data_(data), wanted_(data.names.text.size(), 0) {
        const std::string part = lower(text);
        const auto has = [&part](const std::string& name) {
            return lower(name).find(part) != std::string::npos;
        };
        for (size_t i = 0; i < wanted_.size(); ++i)
            wanted_[i] = has(data.names.text[i]) || (!data.names.full[i].empty() && has(data.names.full[i]));
    }
    int64_t count(size_t track) const {
        int64_t total = 0;
        for (const auto& [name, spans] : data_.name_counts[track])
            if (wanted_[name]) total += spans;
        return total;
    }

    // The first match of a track that lies after `from`, or the last one before it.
    std::optional<Position> nearest(size_t track, const Position& from, bool backwards) const {
        const SpanLanes& spans = data_.lanes[track];
        std::optional<Position> best;
        for (size_t lane = 0; lane < spans.lanes(); ++lane) {
            size_t i = first_after(track, lane, from, backwards);
            const auto stop = backwards ? spans.lane_begin(lane) : spans.lane_end(lane);
            while (i != stop && !wanted_[spans.name(backwards ? i - 1 : i)])
                backwards ? --i : ++i;
            if (i == stop) continue;
            const size_t span = backwards ? i - 1 : i;
            const Position found{spans.begin(span), track, lane, span};
            if (!best || (backwards ? best->key() < found.key() : found.key() < best->key())) best = found;
        }
        return best;
    }
    // Matches of a track up to and with a position.
    int64_t up_to(size_t track, const Position& last) const {
        const SpanLanes& spans = data_.lanes[track];
        int64_t total = 0;
        for (size_t lane = 0; lane < spans.lanes(); ++lane) {
            const size_t stop = track == last.track && lane == last.lane
                                    ? last.span + 1
                                    : first_after(track, lane, last, false);
            for (size_t i = spans.lane_begin(lane); i < stop; ++i)
                total += wanted_[spans.name(i)];
        }
        return total;
    }

  private:
    // Of the spans of a lane: the first that lies after `from`; backwards the first that does not lie before.
    size_t first_after(size_t track, size_t lane, const Position& from, bool backwards) const {
        const SpanLanes& spans = data_.lanes[track];
        const auto other = std::tuple(track, lane) <=> std::tuple(from.track, from.lane);
        if (other == 0) return backwards ? from.span : from.span + 1;
        return spans.from(lane, other > 0 ? from.begin : from.begin + 1);
    }

    const Timeline::Data& data_;
    std::vector<uint8_t> wanted_;  // by name
};

// Where a search starts: at a span, else before (backwards: after) all that begins at a time.
Result<Position> start(const Timeline::Data& data, const TimelineSearch& question) {
    Position from{question.from_ns, SIZE_MAX, SIZE_MAX, 0};
    if (!question.backwards) --from.begin;  // what begins at from_ns is the next match
    if (!question.from_span) return from;
    OPSIGHT_ASSIGN(const size_t track, data.index_of(question.from_span->first));
    const SpanLanes& spans = data.lanes[track];
    const auto [lane, span] = spans.find(question.from_span->second, question.from_ns);
    if (lane == spans.lanes()) return from;
    return Position{question.from_ns, track, lane, span};
}

}  // namespace

Result<TimelineMatch> Timeline::search(const TimelineSearch& question) const {
    if (question.text.empty()) return fail(Error{"there is no text to search for", {}, {}, {}, 2});
    OPSIGHT_ASSIGN(std::vector<size_t> indices, data_->indices_of(question.tracks));
    const Matches matches(*data_, question.text);
    TimelineMatch out;
    std::erase_if(indices, [&](size_t index) {
        const int64_t count = matches.count(index);
        out.matches += count;
        return count == 0;
    });
    OPSIGHT_ASSIGN(const Position from, start(*data_, question));
    std::optional<Position> best;
    for (const size_t index : indices) {
        const auto found = matches.nearest(index, from, question.backwards);
        if (!found) continue;
        if (!best || (question.backwards ? best->key() < found->key() : found->key() < best->key()))
            best = found;
    }
    if (!best) return out;
    out.place = data_->place(best->track, best->lane, best->span);
    for (const size_t index : indices)
        out.number += matches.up_to(index, *best);
    return out;
}

}  // namespace opsight::query
