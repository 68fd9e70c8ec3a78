// Payloads of NVTX events, events that consist of payloads, and what is put together when all is read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "import/capture/nvtx.h"
#include "import/text/clean_text.h"

namespace opsight::importer::capture {
namespace {

// What schemas say that their events are.
constexpr uint64_t kEventFlags = 7 << 3, kCounterGroup = 1 << 3, kPushPopFlag = 2 << 3;

}  // namespace

void NvtxImport::take_data(const wire::RecordView& record) {
    const auto head = record.as<wire::NvtxDataRecord>();
    const std::string_view bytes = record.blob_of<wire::NvtxDataRecord>();
    if (payloads_.take(head, bytes)) return;
    switch (head.kind) {
        case wire::NvtxDataKind::kScope:
            flush();
            scope_ = head.id;
            flexible_.reset();
            return;
        case wire::NvtxDataKind::kFlexible:
            return take_flexible(bytes);
        case wire::NvtxDataKind::kAmend:
            return flush();  // was read with the facts
        case wire::NvtxDataKind::kDeferred:
            flush();
            open_.emplace();
            open_->deferred = true;
            open_->scope = scope_;
            open_->span.track = track_;
            payloads_.data.push_back({head.domain, head.id, std::string(bytes)});
            return;
        default:
            note(Diag::kUnreadRow, "NVTX data of an unknown kind");
    }
}

// Pieces come in order; what does not go on where the last one ended is left out.
void NvtxImport::take_flexible(std::string_view bytes) {
    constexpr size_t kMost = 1 << 21;
    wire::NvtxFlexible head{};
    if (bytes.size() < sizeof head) return note(Diag::kBadEvent, "flexible data of NVTX events");
    std::memcpy(&head, bytes.data(), sizeof head);
    if (!flexible_) flexible_ = Flexible{head.base, head.offset, {}};
    const bool goes_on =
        head.base == flexible_->base && head.offset == flexible_->offset + flexible_->bytes.size();
    if (!goes_on || flexible_->bytes.size() > kMost)
        return note(Diag::kBadEvent, "flexible data of NVTX events");
    flexible_->bytes.append(bytes.substr(sizeof head));
}

std::string NvtxImport::text_in(const NvtxFacts::Payloads& payloads, uint64_t type, uint64_t value) const {
    if (type == wire::schema::kRegisteredText) {
        const std::string* text = facts_.schemas.registered(value);
        return text ? *text : std::string();
    }
    const size_t width = wire::schema::size_of(type);
    if (const auto found = payloads.texts.find(value); found != payloads.texts.end())
        return nvtx::text_of_bytes(width, found->second);
    const auto memory = payloads.at(value);
    return memory ? nvtx::text_of_bytes(width, *memory) : std::string();
}

nvtx::Beyond NvtxImport::beyond(const NvtxFacts::Payloads& payloads) {
    nvtx::Beyond beyond;
    beyond.at = [this, &payloads](uint64_t address) -> std::optional<std::string_view> {
        if (flexible_) {
            const uint64_t from = address - (flexible_->base + flexible_->offset);
            if (from < flexible_->bytes.size()) return std::string_view(flexible_->bytes).substr(from);
        }
        return payloads.at(address);
    };
    beyond.length_in = [this, &payloads](uint64_t index) -> std::optional<uint64_t> {
        if (index >= payloads.data.size()) return std::nullopt;
        const Data& data = payloads.data[index];
        return nvtx::decode(facts_.schemas, data.domain, data.schema, data.bytes, {}).integer;
    };
    if (flexible_) {
        beyond.flexible = flexible_->bytes;
        beyond.flexible_begin = flexible_->offset;
    }
    return beyond;
}

void NvtxImport::read_payloads(Event& event, const NvtxFacts::Payloads& payloads, Told& told) {
    constexpr uint64_t kReferenced = 1 << 2;  // flag of schemas whose payloads others show
    if (payloads.cut > 0)
        builder_.diagnostics().add(
            Diag::kUnreadRow, {file_, -1, -1, "NVTX payloads point to more than is recorded of one event"},
            static_cast<int64_t>(payloads.cut));
    for (const Data& data : payloads.data) {
        const nvtx::Schema* schema = facts_.schemas.find(data.domain, data.schema);
        if (schema && (schema->flags & kReferenced) != 0) continue;
        nvtx::Decoded decoded = nvtx::decode(facts_.schemas, data.domain, data.schema, data.bytes,
                                             text_of(payloads), {}, beyond(payloads));
        if (!decoded.problem.empty())
            note(Diag::kUnreadRow, "NVTX payload with a schema: " + decoded.problem);
        if (!decoded.message.empty()) event.message = decoded.message;
        if (!decoded.json.empty()) event.payloads.push_back(std::move(decoded.json));
        if (decoded.begin) told.begin = decoded.begin;
        if (decoded.end) told.end = decoded.end;
        if (decoded.category) told.category = decoded.category;
        if (decoded.color) told.color = decoded.color;
        if (decoded.thread) told.thread = decoded.thread;
    }
}

// What the end of the range said of it.
void NvtxImport::add_amendment(Event& event) {
    const NvtxFacts::Payloads* found = nullptr;
    if (event.id != 0) {
        if (const auto end = facts_.ends.find(event.id); end != facts_.ends.end()) found = &end->second;
    } else if (event.type == NvtxType::kPushPop && !facts_.pops.empty()) {
        const auto pop = facts_.pops.find({stream_, event.begin_ticks});
        if (pop != facts_.pops.end()) found = &pop->second;
    }
    if (!found) return;
    Told told;
    const std::string before = std::move(event.message);
    event.message.clear();
    read_payloads(event, *found, told);
    event.says_more = !event.message.empty();
    if (!event.says_more) event.message = before;
}

void NvtxImport::flush() {
    if (open_) {
        Event event = std::move(*open_);
        open_.reset();
        Told told;
        if (!payloads_.data.empty()) read_payloads(event, payloads_, told);
        if (!event.deferred) add_amendment(event);
        if (event.deferred) {
            add_deferred(event, told);
        } else if (event.type != NvtxType::kStartEnd) {
            add(event, {});
        } else if (event.dur_ticks > 0) {
            if (times_.set(event.span, event.begin_ticks, event.dur_ticks)) add(event, {});
        } else if (const auto end = ends_.find(event.id); end != ends_.end()) {
            add_crossing(event, end->second);
            ends_.erase(end);
        } else {
            const uint64_t id = event.id;
            if (!starts_.try_emplace(id, std::move(event)).second)
                note(Diag::kBadEvent, "two NVTX ranges of one id");
        }
    }
    payloads_.clear();
}

void NvtxImport::take_end(const wire::NvtxEndRecord& record) {
    flush();
    const End end{record.time, track_};
    const auto start = starts_.find(record.id);
    if (start == starts_.end()) {
        if (!ends_.try_emplace(record.id, end).second) note(Diag::kBadEvent, "two ends of one NVTX range");
        return;
    }
    Event event = std::move(start->second);
    starts_.erase(start);
    add_crossing(event, end);
}

void NvtxImport::add_crossing(Event& event, const End& end) {
    const bool sane = end.ticks >= event.begin_ticks;
    const uint64_t dur = sane ? std::max<uint64_t>(1, end.ticks - event.begin_ticks) : 0;
    if (times_.set(event.span, event.begin_ticks, dur)) add(event, sane ? end.track : TrackId());
}

uint64_t NvtxImport::clock_of(uint64_t told, uint64_t scope) const {
    if (told == 0) told = clocks_.of_scope(scope);
    return told == 0 ? nvtx::kToolClock : told;
}

// Clocks that need no relation: ours, and those of the system by the capture's own readings.
bool NvtxImport::known(uint64_t clock, int64_t value, int64_t& ns) {
    constexpr int64_t kMost = int64_t{1} << 61;
    if (value <= 0 || value >= kMost) return false;
    switch (clock) {
        case nvtx::kToolClock:
        case nvtx::kTscClock:
            return times_.ns(static_cast<uint64_t>(value), ns);
        case 14:  // CLOCK_MONOTONIC, exact and coarse, and what std::chrono makes of it
        case 16:
        case 50:
            ns = times_.from_monotonic(value);
            return true;
        case 12:  // CLOCK_REALTIME, exact and coarse, C's timespec_get, and of std::chrono
        case 13:
        case 42:
        case 51:
        case 52:
            ns = value + realtime_offset_ns_;
            return true;
        default:
            return false;
    }
}

// An event that the program kept to itself until it was over. Its schema tells its times.
void NvtxImport::add_deferred(Event& event, const Told& told) {
    const Data& data = payloads_.data.front();
    if (!told.begin) return note(Diag::kUnreadRow, "a deferred NVTX event without a time");
    int64_t begin = 0, end = 0;
    bool placed = clocks_.ns(clock_of(told.begin->clock, event.scope), told.begin->value, begin);
    if (told.end) placed = placed && clocks_.ns(clock_of(told.end->clock, event.scope), told.end->value, end);
    if (!placed) return note(Diag::kBadTime, "an NVTX event on a clock that nothing relates to ours");
    const nvtx::Schema* schema = facts_.schemas.find(data.domain, data.schema);
    const uint64_t flags = schema ? schema->flags & kEventFlags : 0;
    if (flags == kCounterGroup) return add_deferred_counters(begin);
    event.type = !told.end               ? NvtxType::kMark
                 : flags == kPushPopFlag ? NvtxType::kPushPop
                                         : NvtxType::kStartEnd;
    if (told.end && end < begin) return note(Diag::kBadTime, "an NVTX event that ends before it begins");
    event.span.begin = begin;
    event.span.dur = told.end ? end - begin : 0;
    // The thread that submits it is seldom the one that it happened on.
    event.span.track = told.thread && *told.thread <= UINT32_MAX
                           ? builder_.host_track(rank_, pid_, static_cast<int64_t>(*told.thread))
                           : builder_.other_track(rank_, std::to_string(pid_), "submitted later");
    NvtxAttributes& attributes = event.kind.attributes;
    const std::string domain = facts_.domain_name(data.domain);
    event.kind.dialect = marks::nvtx_domain(domain);
    attributes.type = event.type;
    attributes.domain = data.domain;
    attributes.domain_name = builder_.text(domain);
    attributes.category = told.category.value_or(0);
    if (told.color) attributes.color = *told.color;
    const auto category = facts_.categories.find({data.domain, told.category.value_or(0)});
    if (category != facts_.categories.end()) attributes.category_name = builder_.text(category->second);
    event.kind.ids[static_cast<size_t>(event.type)] = builder_.nvtx_attributes(attributes);
    add(event, {});
}

void NvtxImport::add_deferred_counters(int64_t ns) {
    for (const Data& data : payloads_.data) {
        NvtxFacts::Counter counter;
        counter.domain = data.domain;
        counter.schema = data.schema;
        nvtx::decode(
            facts_.schemas, data.domain, data.schema, data.bytes, text_of(payloads_),
            [&](const nvtx::Number& number) { add_sample(ns, counter, number); }, beyond(payloads_));
    }
}

void NvtxImport::add(Event& event, TrackId end_track) {
    if (event.kind.text.value == 0 || event.says_more) {
        std::string text = event.message;
        clean_text(text);
        event.kind.text = builder_.text(text.empty() ? "(no text)" : text);
    }
    spans_.add(event.span, end_track, event.kind.text, event.kind.dialect,
               event.kind.ids[static_cast<size_t>(event.type)], event.type);
    if (event.number) builder_.extend_payload(*event.number);
    if (event.payloads.empty()) return;
    NvtxPayload payload;
    payload.type = NvtxPayload::Type::kText;
    payload.text = builder_.text(
        event.payloads.size() == 1 ? event.payloads[0] : fmt::format("[{}]", fmt::join(event.payloads, ",")));
    builder_.extend_payload(payload);
}

// What has no other half, and what counts for the whole process.
void NvtxImport::finish() {
    std::vector<Event*> open;
    for (auto& [id, event] : starts_)
        open.push_back(&event);
    std::sort(open.begin(), open.end(), [](const Event* a, const Event* b) { return a->id < b->id; });
    for (Event* event : open)
        if (times_.set(event->span, event->begin_ticks, 0)) add(*event, {});
    if (!ends_.empty())
        builder_.diagnostics().add(Diag::kEndWithoutBegin, {file_, -1, -1, "ends of NVTX ranges"},
                                   static_cast<int64_t>(ends_.size()));
    if (facts_.bad > 0)
        builder_.diagnostics().add(Diag::kBadEvent, {file_, -1, -1, "NVTX definitions"},
                                   static_cast<int64_t>(facts_.bad));
    finish_memory();
    tell_permissions();
    tell_names();
}

// The last name of each object. Streams show theirs on their rows, too.
void NvtxImport::tell_names() {
    constexpr std::string_view kKinds[] = {"object", "device", "context", "stream", "event", "OpenCL object"};
    std::map<std::string, std::string> last;
    for (const NvtxFacts::Name& name : facts_.names) {
        const auto kind = static_cast<uint64_t>(name.kind);
        const bool is_number = name.kind == wire::NvtxResource::kDevice;
        last[fmt::format("nvtx_name {} {}", kKinds[kind < std::size(kKinds) ? kind : 0],
                         is_number ? std::to_string(name.handle) : fmt::format("{:#x}", name.handle))] =
            name.text;
    }
    for (auto& [key, text] : last)
        builder_.info().properties.emplace_back(key, std::move(text));
}

}  // namespace opsight::importer::capture
