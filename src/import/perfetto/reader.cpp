#include "import/perfetto/reader.h"

#include "import/perfetto/importer.h"
#include "import/perfetto/packets.h"
#include "import/protobuf/fields.h"

namespace opsight::importer::perfetto {
namespace {

using protobuf::Field;
using protobuf::Fields;

constexpr int kMostField = 1000;  // of packets, in any version

// The fields of a packet, or of what is seen of it.
enum class Look : uint8_t { kWrong, kMaybe, kPacket };

Look look_at(std::string_view packet, bool is_whole) {
    Look look = Look::kMaybe;
    Fields fields(packet);
    for (Field field; fields.next(field);) {
        const bool number = field.type == Field::Type::kVarint, bytes = field.type == Field::Type::kBytes;
        if (field.number > kMostField) return Look::kWrong;
        if ((field.number == packet::kTime || field.number == packet::kFlags) && !number) return Look::kWrong;
        if ((field.number == packet::kEvent || field.number == packet::kInterned) && !bytes)
            return Look::kWrong;
        if (field.number == packet::kSequence && number) look = Look::kPacket;
        if (field.number == packet::kTrack && bytes) look = Look::kPacket;
    }
    return fields.is_damaged() && is_whole ? Look::kWrong : look;
}

// A trace is packets and nothing else, and almost all of them tell which writer they are of.
Claim sniff(const Head& head) {
    std::string_view left = head.first();
    bool any = false;
    while (left.starts_with('\x0a')) {
        left.remove_prefix(1);
        uint64_t size = 0;
        int shift = 0;
        while (!left.empty() && shift < 35) {
            const auto byte = static_cast<uint8_t>(left[0]);
            left.remove_prefix(1);
            size |= uint64_t{byte & 0x7fu} << shift;
            shift += 7;
            if (byte < 0x80) break;
        }
        const bool is_whole = size <= left.size();
        const Look look = look_at(left.substr(0, size), is_whole);
        if (look == Look::kWrong) return Claim::kNone;
        any |= look == Look::kPacket;
        if (!is_whole) break;
        left.remove_prefix(size);
        if (!left.empty() && left[0] != '\x0a') return Claim::kNone;
    }
    return any ? Claim::kCertain : Claim::kNone;
}

}  // namespace

Reader trace_reader() {
    return {.name = "traces of Perfetto",
            .description =
                "track events in protobuf, as 'opsight export --format perfetto', rocprofv3's pftrace and "
                "Perfetto's SDK write them",
            .endings = {".perfetto-trace", ".pftrace", ".perfetto"},
            .sniff = sniff,
            .read = read_one<import_packets>};
}

}  // namespace opsight::importer::perfetto
