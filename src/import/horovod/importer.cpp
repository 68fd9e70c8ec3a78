#include "import/horovod/importer.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "base/time.h"
#include "import/kineto/json_events.h"

namespace opsight::importer::horovod {
namespace {

using kineto::text_of;
using simdjson::dom::object;

constexpr std::string_view kNegotiate = "NEGOTIATE_";
constexpr size_t kMostOpen = 64;
constexpr int64_t kMostElements = int64_t{1} << 48;

// "[3, 4]"; -1: it is no shape.
int64_t elements_of(std::string_view shape) {
    if (!shape.starts_with('[') || !shape.ends_with(']')) return -1;
    int64_t elements = 1;
    for (size_t at = shape.find_first_of("0123456789"); at != shape.npos;) {
        int64_t size = 0;
        const auto [end, error] = std::from_chars(shape.data() + at, shape.data() + shape.size(), size);
        if (error != std::errc() || (size > 0 && elements > kMostElements / size)) return -1;
        elements *= size;
        at = shape.find_first_of("0123456789", static_cast<size_t>(end - shape.data()));
    }
    return elements;
}

// As Horovod names types; -1: it is none.
int64_t bytes_of(std::string_view type) {
    for (const std::string_view one : {"uint8", "int8", "bool"})
        if (type == one) return 1;
    if (type.ends_with("16")) return 2;
    if (type.ends_with("32")) return 4;
    return type.ends_with("64") ? 8 : -1;
}

class Import {
  public:
    Import(const OneFile& file, ProfileBuilder& builder)
        : file_(file), json_(file, builder), builder_(builder), rank_(file.begin_rank(builder)) {
        builder_.info().producer = "Horovod";
        builder_.info().frameworks.emplace_back("Horovod");
        builder_.info().sources.push_back(file.name);
        waiting_ = json_.intern("waiting for all ranks");
        step_ = json_.intern("step of a collective");
        library_ = json_.intern("Horovod");
        json_.let_list_stay_open(true);  // versions up to 0.20 never close it
    }

    Result<ImportFacts> run() {
        OPSIGHT_TRY(json_.each([this](const object& event) { take(event); }));
        for (auto& [pid, tensor] : tensors_)
            while (!tensor.open.empty())
                end(tensor, last_, {}, true);
        json_.note_end();
        if (events_ == 0)
            return fail("is a timeline of Horovod without a collective", file_.name, {},
                        "record with HOROVOD_TIMELINE=FILE on rank 0, and let the program end");
        return ImportFacts{1, json_.bytes(), events_};
    }

  private:
    struct Open {
        int64_t begin = 0;
        std::string name;
    };
    // A row of the timeline.
    struct Tensor {
        TrackId track;
        std::vector<Open> open;
    };

    void take(const object& event) {
        const std::string_view phase = text_of(event, "ph");
        int64_t pid = 0;
        const bool has_pid = event["pid"].get(pid) == simdjson::SUCCESS;
        if (phase == "M") return take_name(event, pid);
        if (phase == "i") return json_.note(Diag::kUnreadRow, text_of(event, "name"));  // CYCLE_START
        int64_t time = 0;
        if (!has_pid) return json_.note(Diag::kBadEvent, "no pid");
        if (!json_.read_time(event, "ts", time)) return;
        if (time > kMaxNs / 2 - start_) return json_.note(Diag::kBadTime, "ts");
        time += start_;
        last_ = std::max(last_, time);
        Tensor& tensor = row(pid);
        if (phase == "B") {
            if (tensor.open.size() >= kMostOpen) return json_.note(Diag::kBadEvent, "too many open events");
            tensor.open.push_back({time, std::string(text_of(event, "name"))});
        } else if (phase == "E") {
            object args;
            const bool told = event["args"].get(args) == simdjson::SUCCESS;
            end(tensor, time, told ? std::optional(args) : std::nullopt, false);
        } else if (phase == "X") {
            add_other(tensor, time, 0, "rank " + std::string(text_of(event, "name")) + " is ready", waiting_,
                      kInstant);
        } else {
            json_.note(Diag::kUnknownPhase, phase);
        }
    }

    Tensor& row(int64_t pid) {
        const auto [known, is_new] = tensors_.try_emplace(pid);
        if (is_new) known->second.track = builder_.host_track(rank_, 0, pid);
        return known->second;
    }

    // Times count from a start that newer versions tell.
    void take_name(const object& event, int64_t pid) {
        object args;
        if (text_of(event, "name") != "process_name" || event["args"].get(args) != simdjson::SUCCESS) return;
        int64_t start = 0;
        if (args["start_time_since_epoch_in_micros"].get(start) == simdjson::SUCCESS) {
            if (start < 0 || start > kMaxNs / 2 / 1000)
                return json_.note(Diag::kBadTime, "start_time_since_epoch");
            json_.let_list_stay_open(false);  // those that tell their start close it behind each event
            start_ = start * 1000;
            builder_.info().origin_is_unix = true;
            return;
        }
        builder_.track(row(pid).track).name = json_.intern(text_of(args, "name"));
    }

    void end(Tensor& tensor, int64_t time, const std::optional<object>& args, bool unfinished) {
        if (tensor.open.empty())
            return json_.note(Diag::kEndWithoutBegin, builder_.view(builder_.track(tensor.track).name));
        const Open open = std::move(tensor.open.back());
        tensor.open.pop_back();
        const uint8_t flags = unfinished ? kUnfinished : 0;
        if (unfinished) json_.note(Diag::kUnfinishedSpan, open.name);
        if (time < open.begin) json_.note(Diag::kNegativeDuration, open.name);
        const int64_t ns = std::max<int64_t>(0, time - open.begin);
        if (open.name.starts_with(kNegotiate))
            return add_other(tensor, open.begin, ns, open.name, waiting_, flags);
        if (!tensor.open.empty()) return add_other(tensor, open.begin, ns, open.name, step_, flags);
        add_collective(tensor, open, ns, flags, args);
    }

    // A call of a library that passes messages, as those of MPI are.
    void add_collective(const Tensor& tensor, const Open& open, int64_t ns, uint8_t flags,
                        const std::optional<object>& args) {
        HostSpan span;
        span.kind = HostKind::kMessagePassing;
        span.begin = open.begin;
        span.dur = ns;
        span.track = tensor.track;
        span.flags = flags;
        span.name = json_.intern(open.name);
        builder_.add_host(span, library_.value);
        Message message;
        const int64_t elements = args ? elements_of(text_of(*args, "shape")) : -1;
        const int64_t size = args ? bytes_of(text_of(*args, "dtype")) : -1;
        if (elements >= 0 && size > 0) message.bytes = elements * size;
        builder_.extend_message(message);
        ++events_;
    }

    // A wait counts in the wall clock, as a range does; steps do not count beside their collective.
    void add_other(const Tensor& tensor, int64_t begin, int64_t ns, const std::string& name,
                   StringId category, uint8_t flags) {
        HostSpan span;
        span.kind = category == waiting_ ? HostKind::kAnnotation : HostKind::kOther;
        span.begin = begin;
        span.dur = ns;
        span.track = tensor.track;
        span.flags = flags;
        span.name = json_.intern(name);
        builder_.add_host(span, category == waiting_ ? StringId::kNone : category.value);
        ++events_;
    }

    const OneFile& file_;
    kineto::JsonEvents json_;
    ProfileBuilder& builder_;
    RankId rank_;
    StringId waiting_, step_, library_;
    std::map<int64_t, Tensor> tensors_;  // by pid
    int64_t start_ = 0, last_ = 0;
    uint64_t events_ = 0;
};

}  // namespace

Result<ImportFacts> import_timeline(const OneFile& file, ProfileBuilder& builder) {
    return Import(file, builder).run();
}

}  // namespace opsight::importer::horovod
