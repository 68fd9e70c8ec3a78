#include "import/nvtx/spans.h"

#include <string>

namespace opsight::nvtx {

void Spans::add(HostSpan span, TrackId end_track, StringId text, nsys::NvtxDomain dialect,
                NvtxAttributesId attributes, NvtxType type) {
    NvtxRange range;
    range.text = text;
    range.track = span.track;
    range.attributes = attributes;
    if (end_track.valid() && end_track != span.track) {
        range.end_track = end_track;
        const Track& track = builder_.track(span.track);
        span.track = builder_.other_track(track.rank, std::to_string(track.pid), "ranges across threads");
    }
    if (type == NvtxType::kMark) span.flags |= kInstant;
    add_span(span, type, meaning_of(text, dialect));
    builder_.extend_nvtx(range);
}

void Spans::add_span(HostSpan& span, NvtxType type, const Meaning& meaning) {
    span.name = meaning.name;
    span.kind = type == NvtxType::kPushPop ? meaning.kind : HostKind::kAnnotation;
    if (meaning.stack.value != 0 && type == NvtxType::kPushPop)
        stacks_[span.track] = {span.begin + span.dur, meaning.stack};
    if (span.kind != HostKind::kOp) return builder_.add_host(span);
    OpDetail detail = meaning.detail;
    if (!stacks_.empty())
        if (const auto open = stacks_.find(span.track);
            open != stacks_.end() && span.begin < open->second.end)
            detail.stack = open->second.stack;
    builder_.add_op(span, detail);
}

const Spans::Meaning& Spans::meaning_of(StringId text, nsys::NvtxDomain dialect) {
    std::vector<Meaning>& known = meanings_[static_cast<size_t>(dialect)];
    if (known.size() <= text.index()) known.resize(std::max(text.index() + 1, known.size() * 2));
    Meaning& meaning = known[text.index()];
    if (!meaning.known) meaning = understand(builder_.view(text), dialect);
    return meaning;
}

Spans::Meaning Spans::understand(std::string_view text, nsys::NvtxDomain dialect) {
    const nsys::NvtxMeaning read = nsys::read_nvtx_text(text, dialect);
    Meaning meaning;
    meaning.known = true;
    meaning.kind = read.kind;
    meaning.name = builder_.text(read.name);
    meaning.stack = builder_.text(read.stack);
    meaning.detail.sequence = read.sequence;
    meaning.detail.external_id = read.id;
    meaning.detail.module_path = builder_.text(read.module_path);
    if (!read.shapes.empty())
        meaning.detail.signature = builder_.signature({builder_.text(read.shapes), builder_.text(read.dtypes),
                                                       builder_.text(read.concrete), StringId(size_t{0})});
    return meaning;
}

}  // namespace opsight::nvtx
