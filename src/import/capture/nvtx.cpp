#include "import/capture/nvtx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "import/text/clean_text.h"

namespace opsight::importer::capture {
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

void NvtxFacts::take(const RecordView& record, uint32_t stream) {
    if (record.type == RecordType::kNvtxData) return take_data(record, stream);
    amended_ = nullptr;
    if (record.type == RecordType::kNvtxDefine) take_definition(record);
}

void NvtxFacts::take_data(const RecordView& record, uint32_t stream) {
    const auto head = record.as<wire::NvtxDataRecord>();
    const std::string_view bytes = record.blob_of<wire::NvtxDataRecord>();
    if (head.kind == wire::NvtxDataKind::kAmend) {
        wire::NvtxAmended range{};
        if (bytes.size() == sizeof range) std::memcpy(&range, bytes.data(), sizeof range);
        amended_ = head.id != 0 ? &ends[head.id] : &pops[{stream, range.begin}];
    } else if (amended_ && !amended_->take(head, bytes)) {
        amended_ = nullptr;
    }
}

bool NvtxFacts::Payloads::take(const wire::NvtxDataRecord& head, std::string_view bytes) {
    switch (head.kind) {
        case wire::NvtxDataKind::kPayload:
            data.push_back({head.domain, head.id, std::string(bytes)});
            return true;
        case wire::NvtxDataKind::kText:
            texts[head.id] = bytes;
            return true;
        case wire::NvtxDataKind::kPlace:
            if (!data.empty()) data.back().place = head.id;
            return true;
        case wire::NvtxDataKind::kMemory: {
            constexpr size_t kMost = 256;  // more than is recorded of one event
            if (memory.size() >= kMost && !memory.contains(head.id)) return ++cut, true;
            std::string& known = memory[head.id];
            if (known.size() < bytes.size()) known = bytes;
            return true;
        }
        case wire::NvtxDataKind::kCut:
            cut += std::min<uint64_t>(head.id, 1 << 20);
            return true;
        default:
            return false;
    }
}

// Where several pieces hold the address, the one that reaches farthest.
std::optional<std::string_view> NvtxFacts::Payloads::at(uint64_t address) const {
    std::optional<std::string_view> found;
    const auto look = [&](uint64_t begin, std::string_view bytes) {
        if (address < begin || address - begin >= bytes.size()) return;
        const std::string_view rest = bytes.substr(address - begin);
        if (!found || rest.size() > found->size()) found = rest;
    };
    for (const Data& payload : data)
        if (payload.place != 0) look(payload.place, payload.bytes);
    for (auto piece = memory.upper_bound(address); piece != memory.begin();)
        --piece, look(piece->first, piece->second);
    return found;
}

void NvtxFacts::take_clock(const wire::NvtxDefineRecord& head, std::string_view blob) {
    const auto read = [&](auto& into) {
        if (blob.size() < sizeof into) ++bad;
        if (blob.size() >= sizeof into) std::memcpy(&into, blob.data(), sizeof into);
        return blob.size() >= sizeof into;
    };
    wire::NvtxTimeDomain domain{};
    wire::NvtxTimePoint point{};
    if (head.fact == wire::NvtxFact::kEntryClock)
        schemas.define_clock(head.domain, head.id, head.extra, head.detail);
    else if (head.fact == wire::NvtxFact::kTimeDomain && read(domain))
        clocks.define_domain(head.id, domain);
    else if (head.fact == wire::NvtxFact::kTimePoint && read(point))
        clocks.define_point(head.id, head.detail, point);
}

void NvtxFacts::take_meaning(const wire::NvtxDefineRecord& head, std::string_view blob) {
    if (head.fact == wire::NvtxFact::kCounterLimits) {
        wire::NvtxCounterLimits limits{};
        if (blob.size() < sizeof limits) return static_cast<void>(++bad);
        std::memcpy(&limits, blob.data(), sizeof limits);
        nvtx::CounterMeaning& meaning = head.extra == 0
                                            ? counters[head.id].meaning
                                            : schemas.meaning(head.domain, head.id, head.extra - 1);
        meaning.limit_type = limits.type;
        meaning.least = limits.least;
        meaning.most = limits.most;
        return;
    }
    wire::NvtxCounterInfo info{};
    if (blob.size() < sizeof info) return static_cast<void>(++bad);
    std::memcpy(&info, blob.data(), sizeof info);
    const bool entry = head.fact == wire::NvtxFact::kEntryCounter;
    nvtx::CounterMeaning& meaning =
        entry ? schemas.meaning(head.domain, head.id, head.extra) : counters[head.id].meaning;
    meaning.flags = info.flags;
    meaning.numerator = info.numerator;
    meaning.denominator = info.denominator;
    meaning.unit = cleaned(blob.substr(sizeof info));
    if (entry) return;
    counters[head.id].clock = info.clock;
    counters[head.id].scope = info.scope;
}

void NvtxFacts::take_definition(const RecordView& record) {
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
            names.push_back({static_cast<wire::NvtxResource>(head.detail & wire::kResourceMask), head.id,
                             head.detail & ~wire::kResourceMask, cleaned(blob)});
            return;
        case wire::NvtxFact::kText:
            return schemas.define_text(head.id, blob);
        case wire::NvtxFact::kSchema:
        case wire::NvtxFact::kEnum:
            bad += !schemas.define(head.domain, head.id, blob, head.fact == wire::NvtxFact::kEnum);
            return;
        case wire::NvtxFact::kCounter:
            counters[head.id].name = cleaned(blob);
            counters[head.id].domain = head.domain;
            counters[head.id].schema = head.detail;
            return;
        case wire::NvtxFact::kEntryClock:
        case wire::NvtxFact::kTimeDomain:
        case wire::NvtxFact::kTimePoint:
            return take_clock(head, blob);
        case wire::NvtxFact::kCounterInfo:
        case wire::NvtxFact::kEntryCounter:
        case wire::NvtxFact::kCounterLimits:
            return take_meaning(head, blob);
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

void NvtxImport::begin_stream(TrackId track, uint32_t number) {
    track_ = track;
    stream_ = number;
    scope_ = 0;
    flexible_.reset();
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
        case RecordType::kNvtxEnd:
            take_end(record.as<wire::NvtxEndRecord>());
            return true;
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
            memory_.push_back(record.as<wire::NvtxMemoryRecord>());
            return true;
        case RecordType::kChunkStart:
            begin_block(record.after_gap);
            return false;
        case RecordType::kCarriedEnd:
            end_carried(record.as<wire::CarriedEndRecord>().goes_on != 0);
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
    kind.dialect = marks::nvtx_domain(domain);
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

NvtxImport::Event::Event() = default;

void NvtxImport::leave_event() {
    flush();
}

// What belongs to the last event of a block may stand in the next one, behind what was carried there.
void NvtxImport::begin_block(bool after_gap) {
    if (after_gap) {
        flush();
        scope_ = 0;
        flexible_.reset();
        waits_.clear();
    } else if (open_) {
        left_ = Left{std::move(*open_), std::move(payloads_)};
        open_.reset();
        payloads_.clear();
    }
}

void NvtxImport::end_carried(bool goes_on) {
    if (goes_on && !left_) return;  // to the last one that was carried
    flush();
    if (!left_) return;
    open_ = std::move(left_->event);
    payloads_ = std::move(left_->payloads);
    left_.reset();
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
    open_->begin_ticks = range.begin;
    if (!times_.set(open_->span, range.begin, range.dur)) open_.reset();
}

void NvtxImport::take_mark(const wire::NvtxMarkRecord& mark) {
    begin_event(mark.kind, NvtxType::kMark);
    if (!times_.ns(mark.time, open_->span.begin)) open_.reset();
}

void NvtxImport::take_start(const wire::NvtxStartRecord& start) {
    begin_event(start.range.kind, NvtxType::kStartEnd);
    open_->id = start.id;
    open_->begin_ticks = start.range.begin;
    open_->dur_ticks = start.range.dur;
}

void NvtxImport::take_number(const wire::NvtxNumberRecord& number) {
    if (!open_) return;
    NvtxPayload payload;
    switch (number.type) {
        case wire::NvtxNumber::kUint64:
            payload.integer = static_cast<int64_t>(number.bits);
            if (payload.integer < 0) {  // more than the columns of numbers hold
                payload.type = NvtxPayload::Type::kText;
                payload.text = builder_.text(fmt::format("{}", number.bits));
            }
            break;
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

void NvtxImport::note(Diag diag, std::string_view what) {
    builder_.diagnostics().add(diag, {file_, -1, -1, std::string(what)});
}

}  // namespace opsight::importer::capture
