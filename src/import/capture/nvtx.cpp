#include "import/capture/nvtx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "import/clean_text.h"

namespace opsight::capture {
namespace {

using wire::RecordType;
using wire::RecordView;

std::string cleaned(std::string_view raw) {
    std::string text(raw);
    clean_text(text);
    return text;
}

double real_of(uint64_t bits, wire::NvtxNumber type) {
    if (type == wire::NvtxNumber::kFloat) {
        const auto low = static_cast<uint32_t>(bits);
        float value = 0;
        std::memcpy(&value, &low, sizeof value);
        return value;
    }
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace

void NvtxFacts::take(const RecordView& record) {
    const auto head = record.as<wire::NvtxDefineRecord>();
    const std::string_view blob = record.blob_of<wire::NvtxDefineRecord>();
    switch (head.fact) {
        case wire::NvtxFact::kDomain:
            domains[head.domain] = cleaned(blob);
            return;
        case wire::NvtxFact::kCategory:
            categories[{head.domain, head.id}] = cleaned(blob);
            return;
        case wire::NvtxFact::kThread:
            threads[head.id] = cleaned(blob);
            return;
        case wire::NvtxFact::kResource:
            resources[{head.detail, head.id}] = cleaned(blob);
            return;
        case wire::NvtxFact::kText:
            return schemas.define_text(head.id, blob);
        case wire::NvtxFact::kSchema:
        case wire::NvtxFact::kEnum:
            bad += !schemas.define(head.domain, head.id, blob, head.fact == wire::NvtxFact::kEnum);
            return;
        case wire::NvtxFact::kCounter:
            counters[head.id] = {cleaned(blob), head.domain, head.detail,
                                 static_cast<wire::NvtxClock>(head.clock)};
            return;
        case wire::NvtxFact::kSync:
            locks[head.id] = cleaned(blob);
            return;
        case wire::NvtxFact::kHeap:
            heaps[head.id] = cleaned(blob);
            return;
        case wire::NvtxFact::kScope:
        case wire::NvtxFact::kRegion:
        case wire::NvtxFact::kDomainDestroyed:
            return;
    }
    ++bad;
}

std::string NvtxFacts::domain_name(uint32_t number) const {
    const auto found = domains.find(number);
    return found == domains.end() ? std::string() : found->second;
}

void NvtxImport::begin_stream(TrackId track) {
    track_ = track;
    kinds_.clear();
    waits_.clear();
}

bool NvtxImport::take(const RecordView& record) {
    switch (record.type) {
        case RecordType::kNvtxKind:
            take_kind(record);
            return true;
        case RecordType::kNvtxRange:
            take_range(record.as<wire::OpRecord>());
            return true;
        case RecordType::kNvtxMark:
            take_mark(record.as<wire::NvtxMarkRecord>());
            return true;
        case RecordType::kNvtxStart:
            take_start(record.as<wire::NvtxStartRecord>());
            return true;
        case RecordType::kNvtxEnd: {
            flush();
            const auto end = record.as<wire::NvtxStartRecord>();
            ends_.push_back({end.id, end.time, track_});
            return true;
        }
        case RecordType::kNvtxNumber:
            take_number(record.as<wire::NvtxNumberRecord>());
            return true;
        case RecordType::kNvtxData:
            take_data(record);
            return true;
        case RecordType::kNvtxCounter:
            take_counter(record.as<wire::NvtxCounterRecord>());
            return true;
        case RecordType::kNvtxSample:
            take_sample(record);
            return true;
        case RecordType::kNvtxSync:
            take_lock(record.as<wire::NvtxSyncRecord>());
            return true;
        case RecordType::kNvtxMemory:
            memory_.push_back({record.as<wire::NvtxMemoryRecord>()});
            return true;
        default:
            return record.type == RecordType::kNvtxDefine;
    }
}

void NvtxImport::take_kind(const RecordView& record) {
    const auto head = record.as<wire::NvtxKindRecord>();
    std::string text(record.blob_of<wire::NvtxKindRecord>());
    if (clean_text(text)) note(Diag::kUncleanText, text);
    Kind kind;
    kind.text = builder_.text(text);
    kind.domain = head.domain;
    const std::string domain = facts_.domain_name(head.domain);
    kind.dialect = nsys::nvtx_domain(domain);
    kind.attributes.domain = head.domain;
    kind.attributes.domain_name = builder_.text(domain);
    kind.attributes.category = head.category;
    const auto category = facts_.categories.find({head.domain, head.category});
    if (category != facts_.categories.end()) kind.attributes.category_name = builder_.text(category->second);
    if (head.has_color) kind.attributes.color = head.color;
    kinds_[head.id] = kind;
}

NvtxImport::Kind NvtxImport::kind_of(uint32_t id, NvtxType type) {
    const auto found = kinds_.find(id);
    if (found == kinds_.end()) {
        note(Diag::kBadEvent, "an NVTX range without a name");
        Kind lost;
        lost.text = builder_.text("(name lost)");
        lost.attributes.type = type;
        lost.ids[static_cast<size_t>(type)] = builder_.nvtx_attributes(lost.attributes);
        return lost;
    }
    Kind& kind = found->second;
    NvtxAttributesId& known = kind.ids[static_cast<size_t>(type)];
    if (!known.valid()) {
        kind.attributes.type = type;
        known = builder_.nvtx_attributes(kind.attributes);
    }
    return kind;
}

void NvtxImport::begin_event(uint32_t kind, NvtxType type) {
    flush();
    open_.emplace();
    open_->type = type;
    open_->kind = kind_of(kind, type);
    open_->span.track = track_;
}

void NvtxImport::take_range(const wire::OpRecord& range) {
    begin_event(range.kind, NvtxType::kPushPop);
    if (!times_.set(open_->span, range.begin, range.dur)) open_.reset();
}

void NvtxImport::take_mark(const wire::NvtxMarkRecord& mark) {
    begin_event(mark.kind, NvtxType::kMark);
    if (!times_.ns(mark.time, open_->span.begin)) open_.reset();
}

void NvtxImport::take_start(const wire::NvtxStartRecord& start) {
    begin_event(start.kind, NvtxType::kStartEnd);
    open_->id = start.id;
    open_->begin_ticks = start.time;
}

void NvtxImport::take_number(const wire::NvtxNumberRecord& number) {
    if (!open_) return;
    NvtxPayload payload;
    switch (number.type) {
        case wire::NvtxNumber::kUint64:
        case wire::NvtxNumber::kInt64:
            payload.integer = static_cast<int64_t>(number.bits);
            break;
        case wire::NvtxNumber::kUint32:
            payload.integer = static_cast<uint32_t>(number.bits);
            break;
        case wire::NvtxNumber::kInt32:
            payload.integer = static_cast<int32_t>(number.bits);
            break;
        case wire::NvtxNumber::kDouble:
        case wire::NvtxNumber::kFloat:
            payload.type = NvtxPayload::Type::kReal;
            payload.real = real_of(number.bits, number.type);
            break;
        default:
            return note(Diag::kUnreadRow,
                        fmt::format("NVTX payload of type {}", static_cast<uint32_t>(number.type)));
    }
    open_->number = payload;
}

void NvtxImport::take_data(const RecordView& record) {
    const auto head = record.as<wire::NvtxDataRecord>();
    const std::string_view bytes = record.blob_of<wire::NvtxDataRecord>();
    if (head.kind == wire::NvtxDataKind::kDeferred) return take_deferred(head, bytes);
    if (head.kind == wire::NvtxDataKind::kText)
        texts_[head.id] = bytes;
    else
        data_.push_back({head.domain, head.id, std::string(bytes)});
}

// An event that the program kept to itself, and whose schema tells its times in our ticks.
void NvtxImport::take_deferred(const wire::NvtxDataRecord& head, std::string_view bytes) {
    const nvtx::Decoded decoded = nvtx::decode(facts_.schemas, head.domain, head.id, bytes, text_of_);
    if (!decoded.begin) return note(Diag::kUnreadRow, "a deferred NVTX event without a time");
    flush();
    Event event;
    event.type = decoded.end ? NvtxType::kStartEnd : NvtxType::kMark;
    event.kind.attributes.type = event.type;
    event.kind.attributes.domain = head.domain;
    event.kind.attributes.domain_name = builder_.text(facts_.domain_name(head.domain));
    event.kind.ids[static_cast<size_t>(event.type)] = builder_.nvtx_attributes(event.kind.attributes);
    event.message = decoded.message;
    event.payloads.push_back(decoded.json);
    event.span.track = track_;
    const auto begin = static_cast<uint64_t>(decoded.begin->value);
    const int64_t end = decoded.end ? decoded.end->value : 0;
    const uint64_t dur = end > decoded.begin->value ? static_cast<uint64_t>(end) - begin : 1;
    if (times_.set(event.span, begin, dur)) add(event, {});
}

std::string NvtxImport::text_at(uint64_t type, uint64_t value) const {
    if (type == wire::schema::kRegisteredText) {
        const std::string* text = facts_.schemas.registered(value);
        return text ? *text : std::string();
    }
    const auto found = texts_.find(value);
    return found == texts_.end() ? std::string() : found->second;
}

void NvtxImport::flush() {
    if (open_) {
        for (const Data& data : data_) {
            nvtx::Decoded decoded =
                nvtx::decode(facts_.schemas, data.domain, data.schema, data.bytes, text_of_);
            if (!decoded.problem.empty())
                note(Diag::kUnreadRow, "NVTX payload with a schema: " + decoded.problem);
            if (!decoded.message.empty()) open_->message = decoded.message;
            if (!decoded.json.empty()) open_->payloads.push_back(std::move(decoded.json));
        }
        if (open_->type == NvtxType::kStartEnd)
            starts_.push_back(std::move(*open_));
        else
            add(*open_, {});
    }
    open_.reset();
    data_.clear();
    texts_.clear();
}

void NvtxImport::add(Event& event, TrackId end_track) {
    if (event.kind.text.value == 0) {
        const std::string text = cleaned(event.message);
        event.kind.text = builder_.text(text.empty() ? "(no text)" : text);
    }
    spans_.add(event.span, end_track, event.kind.text, event.kind.dialect,
               event.kind.ids[static_cast<size_t>(event.type)], event.type);
    if (event.number) builder_.extend_payload(*event.number);
    if (event.payloads.empty()) return;
    NvtxPayload payload;
    payload.type = NvtxPayload::Type::kText;
    payload.text =
        builder_.text(event.payloads.size() == 1 ? event.payloads[0]
                                                 : fmt::format("[{}]", fmt::join(event.payloads, ", ")));
    builder_.extend_payload(payload);
}

// Pairs what began and what ended, on whichever threads.
void NvtxImport::finish() {
    std::sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) { return a.id < b.id; });
    size_t paired = 0;
    for (Event& event : starts_) {
        const auto end = std::lower_bound(ends_.begin(), ends_.end(), event.id,
                                          [](const End& a, uint64_t id) { return a.id < id; });
        const bool ended = end != ends_.end() && end->id == event.id && end->ticks >= event.begin_ticks;
        paired += ended;
        const uint64_t dur = ended ? std::max<uint64_t>(1, end->ticks - event.begin_ticks) : 0;
        if (times_.set(event.span, event.begin_ticks, dur)) add(event, ended ? end->track : TrackId());
    }
    const auto left = static_cast<int64_t>(ends_.size() - std::min(ends_.size(), paired));
    if (left > 0)
        builder_.diagnostics().add(Diag::kEndWithoutBegin, {file_, -1, -1, "ends of NVTX ranges"}, left);
    if (facts_.bad > 0)
        builder_.diagnostics().add(Diag::kBadEvent, {file_, -1, -1, "NVTX definitions"},
                                   static_cast<int64_t>(facts_.bad));
    finish_memory();
    for (const auto& [what, name] : facts_.resources)
        builder_.info().properties.emplace_back(fmt::format("nvtx_name {:#x}", what.second), name);
}

void NvtxImport::note(Diag diag, std::string_view what) {
    builder_.diagnostics().add(diag, {file_, -1, -1, std::string(what)});
}

}  // namespace opsight::capture
