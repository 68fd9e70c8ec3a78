#include "import/nvtx/spans.h"

#include <algorithm>
#include <string>

#include "model/marks/xla_names.h"

namespace opsight::importer::nvtx {

void Spans::add(HostSpan span, TrackId end_track, StringId text, marks::NvtxDomain dialect,
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
    add_span(span, type, text, meaning_of(text, dialect));
    builder_.extend_nvtx(range);
}

void Spans::add_span(HostSpan& span, NvtxType type, StringId text, const Meaning& meaning) {
    span.name = meaning.name;
    span.kind = type == NvtxType::kPushPop ? meaning.kind : HostKind::kAnnotation;
    if (meaning.stack.value != 0 && type == NvtxType::kPushPop)
        stacks_[span.track] = {span.begin + span.dur, meaning.stack};
    if (meaning.program && span.kind == HostKind::kModule) {
        programs_[span.track] = {span.begin + span.dur, text, meaning.name, meaning.scope};
        if (builder_.view(meaning.name).starts_with("jit_")) tell_framework("JAX");
    }
    if (span.kind != HostKind::kOp) return builder_.add_host(span);
    OpDetail detail = meaning.detail;
    const Place place = place_inside(span, meaning);
    detail.module_path = place.path;
    if (place.backward) span.flags |= kBackward;
    if (!stacks_.empty())
        if (const auto open = stacks_.find(span.track);
            open != stacks_.end() && span.begin < open->second.end)
            detail.stack = open->second.text;
    if (meaning.marked)
        open_call(span, text);
    else if (!calls_.empty() && !detail.signature.valid())
        detail.signature = signature_inside(span, text);
    builder_.add_op(span, detail);
}

Spans::Place Spans::place_inside(const HostSpan& span, const Meaning& meaning) {
    const Place alone{meaning.detail.module_path, meaning.backward};
    if (meaning.scope.value == 0 || programs_.empty()) return alone;
    const auto found = programs_.find(span.track);
    if (found == programs_.end() || span.begin >= found->second.end) return alone;
    const OpenProgram& program = found->second;
    const std::string_view name = builder_.view(program.name), prefix = builder_.view(program.prefix);
    // Each op would have a copy of it.
    constexpr size_t kLongestProgram = 1024;
    if (name.size() + prefix.size() > kLongestProgram) return alone;
    const auto [it, is_new] = places_.try_emplace({program.text, meaning.scope});
    if (is_new) {
        const marks::XlaPlace place = marks::place_of_thunk(prefix, builder_.view(meaning.scope));
        it->second.backward = place.backward;
        if (!place.layer.empty())
            it->second.path = builder_.text(std::string(name).append("/").append(place.layer));
    }
    return it->second;
}

void Spans::tell_framework(std::string_view name) {
    std::vector<std::string>& known = builder_.info().frameworks;
    if (std::find(known.begin(), known.end(), name) == known.end()) known.emplace_back(name);
}

void Spans::open_call(const HostSpan& span, StringId text) {
    std::vector<OpenText>& open = calls_[span.track];
    while (!open.empty() && open.back().end <= span.begin)
        open.pop_back();
    open.push_back({span.begin + span.dur, text});
}

SignatureId Spans::signature_inside(const HostSpan& span, StringId text) {
    const auto calls = calls_.find(span.track);
    if (calls == calls_.end()) return {};
    std::vector<OpenText>& open = calls->second;
    while (!open.empty() && open.back().end <= span.begin)
        open.pop_back();
    if (open.empty()) return {};
    const auto [it, is_new] = inside_.try_emplace({open.back().text, text});
    if (is_new) {
        const MarkedCall& call = marked_.at(open.back().text);
        const Arguments a = arguments_inside(call.function, call.arguments, builder_.view(span.name));
        if (!a.shapes.empty())
            it->second = builder_.signature({builder_.text(a.shapes), builder_.text(a.dtypes),
                                             builder_.text(a.concrete), StringId(size_t{0})});
    }
    return it->second;
}

const Spans::Meaning& Spans::meaning_of(StringId text, marks::NvtxDomain dialect) {
    std::vector<Meaning>& known = meanings_[static_cast<size_t>(dialect)];
    if (known.size() <= text.index()) known.resize(std::max(text.index() + 1, known.size() * 2));
    Meaning& meaning = known[text.index()];
    if (!meaning.known) meaning = understand(text, builder_.view(text), dialect);
    return meaning;
}

Spans::Meaning Spans::understand(StringId id, std::string_view text, marks::NvtxDomain dialect) {
    const marks::NvtxMeaning read = marks::read_nvtx_text(text, dialect);
    Meaning meaning;
    meaning.known = true;
    meaning.kind = read.kind;
    meaning.name = builder_.text(read.name);
    meaning.stack = builder_.text(read.stack);
    meaning.detail.sequence = read.sequence;
    meaning.detail.external_id = read.id;
    meaning.detail.module_path = builder_.text(read.module_path);
    meaning.marked = !read.marked.empty();
    meaning.program = read.program;
    meaning.scope = builder_.text(read.scope);
    meaning.backward = read.backward;
    if (meaning.marked) marked_[id] = {read.marked, {read.shapes, read.dtypes, read.concrete}};
    if (!read.shapes.empty())
        meaning.detail.signature = builder_.signature({builder_.text(read.shapes), builder_.text(read.dtypes),
                                                       builder_.text(read.concrete), StringId(size_t{0})});
    return meaning;
}

}  // namespace opsight::importer::nvtx
