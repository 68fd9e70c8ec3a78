// The timeline: its rows, windows of them, and questions about events.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "report/render_timeline.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

constexpr size_t kMostNames = 2000;     // of sums
constexpr size_t kLongestSearch = 500;  // bytes

using Shared = std::shared_ptr<const query::Timeline>;

// Of the rank that was chosen, in the order of display; empty where none was.
Expected<std::vector<int64_t>> tracks_of_rank(const Call& call, const query::Timeline& timeline) {
    std::vector<int64_t> out;
    OPSIGHT_ASSIGN(const std::optional<int64_t> rank, call.number("rank"));
    if (!rank) return out;
    for (const query::TimelineTrack& track : timeline.tracks())
        if (track.rank == *rank) out.push_back(track.id);
    if (out.empty())
        return fail(Problem(400, "bad_request", fmt::format("the timeline has no rank {}", *rank),
                            "timeline/tracks lists the tracks of all ranks"));
    return out;
}

// "3,5,6": numbers of tracks; none: all, or all of the chosen rank.
Expected<std::vector<int64_t>> tracks_of(const Call& call, const query::Timeline& timeline) {
    OPSIGHT_ASSIGN(const std::vector<int64_t> of_rank, tracks_of_rank(call, timeline));
    std::vector<int64_t> out;
    const std::string text = call.text("tracks");
    for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
        int64_t track = 0;
        const auto [next, problem] = std::from_chars(at, end, track);
        if (problem != std::errc() || (next != end && (*next != ',' || next + 1 == end)))
            return fail(Problem(400, "bad_request", fmt::format("'{}' is not a list of tracks", text),
                                "give their numbers with commas between"));
        if (!of_rank.empty() && std::find(of_rank.begin(), of_rank.end(), track) == of_rank.end())
            return fail(Problem(400, "bad_request",
                                fmt::format("track {} is none of rank {}", track, call.text("rank")),
                                "leave tracks out, or rank"));
        out.push_back(track);
        at = next;
    }
    return out.empty() ? of_rank : out;
}

Expected<Response> tracks(Call& call) {
    OPSIGHT_ASSIGN(const Shared timeline, call.profiles().timeline(call));
    OPSIGHT_TRY(tracks_of_rank(call, *timeline));  // which refuses a rank that there is not
    OPSIGHT_ASSIGN(const std::optional<int64_t> rank, call.number("rank"));
    return json_response(report::render_tracks_json(*timeline, rank));
}

Expected<Response> window(Call& call) {
    OPSIGHT_ASSIGN(const Shared timeline, call.profiles().timeline(call));
    OPSIGHT_ASSIGN(const std::vector<int64_t> wanted, tracks_of(call, *timeline));
    OPSIGHT_ASSIGN(const int64_t begin, call.needed_number("begin"));
    OPSIGHT_ASSIGN(const int64_t end, call.needed_number("end"));
    OPSIGHT_ASSIGN(const int64_t width, call.needed_number("width"));
    const std::string format = call.text("format");
    if (!format.empty() && format != "json" && format != "binary")
        return fail(Problem(400, "bad_request", fmt::format("there is no format '{}' here", format),
                            "there are json and binary"));
    const FairSemaphore::Permit turn(call.profiles().turns());
    OPSIGHT_ASSIGN(const auto found, timeline->window(wanted, begin, end, width));
    if (format != "binary") return json_response(report::render_window_json(found));
    Response response;
    response.type = "application/octet-stream";
    response.body = report::render_window_binary(found);
    return response;
}

Expected<Response> event(Call& call) {
    OPSIGHT_ASSIGN(const Shared timeline, call.profiles().timeline(call));
    OPSIGHT_ASSIGN(const int64_t track, call.needed_number("track"));
    OPSIGHT_ASSIGN(const int64_t span, call.number("span", -1, 0, UINT32_MAX));
    OPSIGHT_ASSIGN(const auto found, timeline->event(track, static_cast<uint32_t>(span)));
    return json_response(report::render_event_json(found));
}

Expected<Response> search(Call& call) {
    OPSIGHT_ASSIGN(const Shared timeline, call.profiles().timeline(call));
    query::TimelineSearch question;
    question.text = call.text("q");
    if (question.text.size() > kLongestSearch)
        return fail(Problem(400, "bad_request", "the text to search for is too long",
                            fmt::format("give {} bytes at most", kLongestSearch)));
    OPSIGHT_ASSIGN(question.tracks, tracks_of(call, *timeline));
    const std::string direction = call.text("direction");
    if (!direction.empty() && direction != "next" && direction != "previous")
        return fail(Problem(400, "bad_request", fmt::format("there is no direction '{}'", direction),
                            "there are next and previous"));
    question.backwards = direction == "previous";
    OPSIGHT_ASSIGN(const std::optional<int64_t> from, call.number("from"));
    question.from_ns = from.value_or(question.backwards ? timeline->end_ns() : timeline->begin_ns());
    OPSIGHT_ASSIGN(const std::optional<int64_t> from_track, call.number("from_track"));
    OPSIGHT_ASSIGN(const int64_t from_span, call.number("from_span", 0, 0, UINT32_MAX));
    if (from_track) question.from_span = {*from_track, static_cast<uint32_t>(from_span)};
    const FairSemaphore::Permit turn(call.profiles().turns());
    OPSIGHT_ASSIGN(const auto found, timeline->search(question));
    return json_response(report::render_match_json(found));
}

Expected<Response> sums(Call& call) {
    OPSIGHT_ASSIGN(const Shared timeline, call.profiles().timeline(call));
    OPSIGHT_ASSIGN(const std::vector<int64_t> wanted, tracks_of(call, *timeline));
    OPSIGHT_ASSIGN(const int64_t begin, call.needed_number("begin"));
    OPSIGHT_ASSIGN(const int64_t end, call.needed_number("end"));
    const FairSemaphore::Permit turn(call.profiles().turns());
    OPSIGHT_ASSIGN(const auto found, timeline->sums(wanted, begin, end));
    return json_response(report::render_sums_json(found, kMostNames));
}

Expected<Response> counters(Call& call) {
    OPSIGHT_ASSIGN(const Shared timeline, call.profiles().timeline(call));
    OPSIGHT_ASSIGN(const std::vector<int64_t> wanted, tracks_of(call, *timeline));
    OPSIGHT_ASSIGN(const int64_t begin, call.needed_number("begin"));
    OPSIGHT_ASSIGN(const int64_t end, call.needed_number("end"));
    OPSIGHT_ASSIGN(const int64_t width, call.needed_number("width"));
    const FairSemaphore::Permit turn(call.profiles().turns());
    OPSIGHT_ASSIGN(const auto found, timeline->counters(wanted, begin, end, width));
    return json_response(report::render_counters_json(*timeline, found, begin));
}

}  // namespace

std::vector<Route> timeline_routes() {
    const std::string base = "/api/v1/profiles/{id}/timeline/";
    return {
        {"GET", base + "tracks", tracks, {"rank"}},
        {"GET",
         base + "window",
         window,
         {"tracks", "rank", "begin", "end", "width", "format"},
         Kept::kPicture},
        {"GET", base + "event", event, {"track", "span"}},
        {"GET",
         base + "search",
         search,
         {"q", "from", "direction", "tracks", "rank", "from_track", "from_span"}},
        {"GET", base + "sums", sums, {"tracks", "rank", "begin", "end"}},
        {"GET", base + "counters", counters, {"tracks", "rank", "begin", "end", "width"}},
    };
}

}  // namespace opsight::server
