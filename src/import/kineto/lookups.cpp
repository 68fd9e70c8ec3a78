// The tables of an Interpreter: texts, places, signatures and other entries that many events share.
#include <algorithm>

#include "base/one_line_json.h"
#include "import/kineto/interpreter.h"
#include "import/kineto/numbers.h"
#include "import/kineto/text.h"

namespace opsight::importer::kineto {
namespace {

constexpr size_t kShownText = 80;

// The number at the end of a text such as "stream 7".
std::optional<int64_t> trailing_number(std::string_view text) {
    const size_t last = text.find_last_not_of("0123456789");
    return parse_int(last == std::string_view::npos ? text : text.substr(last + 1));
}

// Up to three numbers of "[32, 1, 2]".
void read_triple(std::string_view token, int64_t (&out)[3]) {
    for (int64_t& value : out) {
        const size_t first = token.find_first_of("-0123456789");
        if (first == std::string_view::npos) return;
        token.remove_prefix(first);
        const size_t end = std::min(token.find_first_of(",] \n\r\t"), token.size());
        value = parse_int(token.substr(0, end)).value_or(-1);
        token.remove_prefix(end);
    }
}

// The rank that TraceLens' TraceFuse writes into each event, beside the process's own number.
std::string_view told_rank(const RawEvent& event) {
    if (!event.has(Arg::kRawPid)) return {};
    const std::string_view rank = bare(event[Arg::kRank]);
    return parse_int(rank) ? rank : std::string_view();
}

MergedProcess process_of(const RawEvent& event) {
    const std::string_view rank = told_rank(event);
    if (!rank.empty()) return {rank, event[Arg::kRawPid]};
    const MergedProcess merged = merged_process(bare(event.pid));
    return merged.rank.empty() ? MergedProcess{{}, event.pid} : merged;
}

}  // namespace

void Interpreter::report(Diag diag, const RawEvent& event, std::string_view about) {
    if (!batch_->diagnostics.wants_place(diag)) return batch_->diagnostics.add(diag);
    DiagOccurrence where;
    // An event that was repaired lies in a buffer of its own; the place of its window is near enough.
    const char* const end = window_.data() + window_.size();
    const bool in_window = event.begin >= window_.data() && event.begin < end;
    where.offset =
        static_cast<int64_t>(offset_ + (in_window ? static_cast<uint64_t>(event.begin - window_.data()) : 0));
    where.text = std::string(about.substr(0, kShownText));
    batch_->diagnostics.add(diag, std::move(where));
}

Category Interpreter::category(std::string_view token) {
    if (token == last_category_token_) return last_category_;
    last_category_token_ = token;
    last_category_ = find_category(bare(token));
    if (last_category_ != Category::kNone && last_category_ != Category::kUnknown)
        batch_->knows_kineto = true;
    return last_category_;
}

StringId Interpreter::text(std::string_view token) {
    return token.empty() ? StringId(0) : tables_.strings.intern(plain_text(token, scratch_));
}

StringId Interpreter::json(std::string_view token) {
    if (token.empty()) return StringId(0);
    key_.assign(token);
    const auto [known, is_new] = lists_.try_emplace(key_, StringId(0));
    if (is_new) {
        const std::string_view list = is_string(token) ? plain_text(token, scratch_) : bare(token);
        known->second = tables_.strings.intern(one_line_json(list));
    }
    return known->second;
}

int64_t Interpreter::id(const RawEvent& event, std::string_view token) {
    const ParsedId parsed = parse_id(token);
    if (parsed.too_big) report(Diag::kHugeId, event, bare(token));
    return parsed.value;
}

PlaceId Interpreter::place(const RawEvent& event) {
    const std::string_view rank = told_rank(event);
    if (!tables_.places.empty() && event.pid == last_pid_ && event.tid == last_tid_ && rank == last_rank_)
        return last_place_;
    last_pid_ = event.pid;
    last_tid_ = event.tid;
    last_rank_ = rank;
    return last_place_ = new_place(event, process_of(event));
}

PlaceId Interpreter::new_place(const RawEvent& event, MergedProcess process) {
    ThreadKey place;
    const std::optional<int64_t> pid = parse_int(process.pid), tid = parse_int(event.tid);
    place.pid_is_number = pid.has_value();
    place.tid_is_number = tid.has_value();
    place.pid = pid.value_or(0);
    place.tid = tid.value_or(0);
    PlaceId* slot = nullptr;
    const auto next = static_cast<PlaceId>(tables_.places.size());
    if (pid && tid && process.rank.empty()) {
        slot = &tables_.numbered_places.try_emplace({*pid, *tid}, next).first->second;
    } else {
        key_.assign(bare(process.pid))
            .append(1, '\0')
            .append(bare(event.tid))
            .append(1, '\0')
            .append(process.rank);
        slot = &tables_.text_places.try_emplace(key_, next).first->second;
        if (!pid) place.pid_text = text(process.pid);
        if (!tid) place.tid_text = text(event.tid);
        if (!process.rank.empty()) place.rank = tables_.strings.intern(process.rank);
    }
    if (*slot == next) {
        tables_.places.push_back(place);
        batch_->new_threads.push_back(place);
    }
    return *slot;
}

uint32_t Interpreter::device_place(const RawEvent& event, TrackKind kind) {
    const auto number = [&](Arg arg, std::string_view otherwise) -> int64_t {
        if (event.has(arg))
            if (const std::optional<int64_t> value = parse_int(event[arg])) return *value;
        return trailing_number(bare(otherwise)).value_or(0);
    };
    DevicePlace where;
    where.kind = kind;
    where.device = number(Arg::kDevice, process_of(event).pid);
    where.stream = number(Arg::kStream, event.tid);
    where.context = number(Arg::kContext, {});
    if (bare(event.pid) == "CUDA functions") std::swap(where.device, where.stream);  // a row is a device
    where.place = place(event);
    where.mtia = category(event.category) == Category::kMtiaDevice;
    const auto next = static_cast<uint32_t>(tables_.device_places.size());
    const auto [slot, is_new] = tables_.device_places.try_emplace(
        {static_cast<uint8_t>(kind), where.device, where.context, where.stream, where.place}, next);
    if (is_new) batch_->new_device_places.push_back(where);
    return slot->second;
}

SignatureId Interpreter::signature(const RawEvent& event) {
    const Signature s = {json(event[Arg::kInputDims]), json(event[Arg::kInputTypes]),
                         json(event[Arg::kConcreteInputs]), json(event[Arg::kInputStrides])};
    if (s == Signature{StringId(0), StringId(0), StringId(0), StringId(0)}) return SignatureId();
    const auto next = static_cast<uint32_t>(tables_.signatures.size());
    const auto [slot, is_new] = tables_.signatures.try_emplace(
        {s.shapes.value, s.dtypes.value, s.concrete.value, s.strides.value}, next);
    if (is_new) batch_->new_signatures.push_back(s);
    return SignatureId(slot->second);
}

LaunchConfigId Interpreter::config(const RawEvent& event) {
    constexpr Arg kParts[] = {Arg::kGrid,      Arg::kBlock,       Arg::kRegisters, Arg::kSharedMemory,
                              Arg::kOccupancy, Arg::kBlocksPerSm, Arg::kWarpsPerSm};
    key_.clear();
    for (const Arg part : kParts)
        key_.append(event[part]).append(1, '\0');
    if (key_.size() == std::size(kParts)) return LaunchConfigId();
    const auto next = static_cast<uint32_t>(tables_.configs.size());
    const auto [slot, is_new] = tables_.configs.try_emplace(key_, next);
    if (is_new) {
        LaunchConfig c;
        read_triple(event[Arg::kGrid], c.grid);
        read_triple(event[Arg::kBlock], c.block);
        c.registers_per_thread = parse_int(event[Arg::kRegisters]).value_or(-1);
        c.static_shared_bytes = parse_int(event[Arg::kSharedMemory]).value_or(-1);
        c.source_occupancy_pct = parse_double(event[Arg::kOccupancy]).value_or(-1);
        c.source_blocks_per_sm = parse_double(event[Arg::kBlocksPerSm]).value_or(-1);
        c.source_warps_per_sm = parse_double(event[Arg::kWarpsPerSm]).value_or(-1);
        batch_->new_configs.push_back(c);
    }
    return LaunchConfigId(slot->second);
}

CollectiveId Interpreter::collective(const RawEvent& event) {
    constexpr Arg kParts[] = {Arg::kCollectiveName,   Arg::kDtype,      Arg::kGroupName,
                              Arg::kGroupDescription, Arg::kGroupRanks, Arg::kInElements,
                              Arg::kOutElements,      Arg::kGroupSize};
    if (!event.has(Arg::kCollectiveName)) return CollectiveId();
    key_.clear();
    for (const Arg part : kParts)
        key_.append(event[part]).append(1, '\0');
    const auto next = static_cast<uint32_t>(tables_.collectives.size());
    const auto [slot, is_new] = tables_.collectives.try_emplace(key_, next);
    if (is_new) {
        Collective c;
        c.name = text(event[Arg::kCollectiveName]);
        c.dtype = text(event[Arg::kDtype]);
        c.group_name = text(event[Arg::kGroupName]);
        c.group_description = text(event[Arg::kGroupDescription]);
        c.group_ranks = json(event[Arg::kGroupRanks]);
        c.in_elements = parse_int(event[Arg::kInElements]).value_or(-1);
        c.out_elements = parse_int(event[Arg::kOutElements]).value_or(-1);
        c.group_size = parse_int(event[Arg::kGroupSize]).value_or(-1);
        batch_->new_collectives.push_back(c);
    }
    return CollectiveId(slot->second);
}

}  // namespace opsight::importer::kineto
