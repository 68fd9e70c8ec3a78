// What payloads of a capture refer to: pieces of memory, other payloads and flexible data, whole and damaged.
#include <gtest/gtest.h>

#include "import/capture/importer.h"
#include "import/capture/test_capture.h"
#include "wire/nvtx.h"
#include "wire/nvtx_schema.h"

namespace opsight::importer::capture {
namespace {

namespace in = wire::schema;
using wire::NvtxDataKind;
using wire::RecordType;

constexpr uint64_t kSchema = uint64_t{1} << 32, kUint32 = 16, kInt64 = 17, kInt = 5;

template <class T>
std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

class NvtxPayloads : public ::testing::Test {
  protected:
    NvtxPayloads() { capture.thread(101); }
    struct Field {
        uint64_t flags, type, detail;
        std::string name;
    };
    void schema(const std::vector<Field>& fields) {
        wire::NvtxSchemaHead head{};
        head.type = in::kStatic;
        head.entries = static_cast<uint32_t>(fields.size());
        std::string blob = bytes_of(head), names;
        for (const Field& field : fields) {
            blob +=
                bytes_of(wire::NvtxSchemaEntry{field.flags, field.type, field.detail, 0, field.name.size()});
            names += field.name;
        }
        define(wire::NvtxFact::kSchema, kSchema, blob + names);
    }
    void define(wire::NvtxFact fact, uint64_t id, const std::string& blob, uint32_t extra = 0) {
        wire::NvtxDefineRecord record{};
        record.fact = fact;
        record.id = id;
        record.extra = extra;
        record.length = static_cast<uint16_t>(blob.size());
        capture.put(RecordType::kNvtxDefine, record, blob);
    }
    void mark(uint64_t time) {
        wire::NvtxKindRecord kind{};
        kind.id = 1;
        kind.length = 1;
        capture.put(RecordType::kNvtxKind, kind, "m");
        wire::NvtxMarkRecord record{};
        record.kind = 1;
        record.time = testing::FabricatedCapture::kStart + time;
        capture.put(RecordType::kNvtxMark, record);
    }
    void data(NvtxDataKind kind, uint64_t id, const std::string& bytes = {}) {
        wire::NvtxDataRecord record{};
        record.kind = kind;
        record.id = id;
        record.length = static_cast<uint32_t>(bytes.size());
        capture.put(RecordType::kNvtxData, record, bytes);
    }
    Profile imported() {
        ProfileBuilder builder;
        EXPECT_TRUE(import_capture(capture.bytes(), "nvtx.opcap", builder).has_value());
        return std::move(builder).finish();
    }
    static std::string payload(const Profile& p, size_t at = 0) {
        return at < p.nvtx_payloads.size() ? std::string(p.strings.view(p.nvtx_payloads[at].text)) : "(none)";
    }

    testing::FabricatedCapture capture;
};

TEST_F(NvtxPayloads, PointersLeadIntoMemoryAndPayloadsOfTheirEventOnly) {
    schema({{in::kPointer, kInt, 0, "a"}, {in::kPointer, kInt, 0, "b"}, {in::kPointer, kInt, 0, "c"}});
    const uint64_t addresses[] = {0x1004, 0x2000, 0x3000};
    mark(10);
    data(NvtxDataKind::kMemory, 0x3000, bytes_of(3));  // of another event
    mark(20);
    data(NvtxDataKind::kPayload, in::kReferenced, bytes_of(int64_t{7} << 32));
    data(NvtxDataKind::kPlace, 0x1000);
    data(NvtxDataKind::kPayload, kSchema, bytes_of(addresses));
    data(NvtxDataKind::kMemory, 0x2000, bytes_of(2));
    data(NvtxDataKind::kMemory, 0x2000, "x");  // less of the same
    data(NvtxDataKind::kCut, 5);
    const Profile p = imported();
    EXPECT_EQ(payload(p), R"({"a":7,"b":2,"c":"0x0000000000003000"})");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 5 + 1);
}

TEST_F(NvtxPayloads, FlexibleDataGoesOnWhereItEnded) {
    schema({{in::kTimestamp, kInt64, 0, "at"}, {in::kOffsetFromBase, in::kText, 0, "text"}});
    const auto piece = [&](uint64_t offset, const std::string& bytes) {
        data(NvtxDataKind::kFlexible, 0, bytes_of(wire::NvtxFlexible{0x9000, offset}) + bytes);
    };
    struct Event {
        int64_t at;
        uint64_t text;
    };
    const int64_t now = testing::FabricatedCapture::kStart + 10;
    data(NvtxDataKind::kScope, 0);
    piece(16, "ab");
    piece(18, std::string("c\0", 2));
    piece(40, "a gap");
    data(NvtxDataKind::kFlexible, 0, "short");
    data(NvtxDataKind::kDeferred, kSchema, bytes_of(Event{now, 17}));
    data(NvtxDataKind::kScope, 0);  // the batch is over
    data(NvtxDataKind::kDeferred, kSchema, bytes_of(Event{now, 17}));
    const Profile p = imported();
    EXPECT_NE(payload(p).find(R"("text":"bc")"), std::string::npos) << payload(p);
    EXPECT_NE(payload(p, 1).find(R"("text":"0x0000000000000011")"), std::string::npos) << payload(p, 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 2);
}

TEST_F(NvtxPayloads, ManyPiecesOfMemoryAreCutAndCounted) {
    schema({{0, kUint32, 0, "n"}});
    mark(10);
    data(NvtxDataKind::kPayload, kSchema, bytes_of(uint32_t{1}));
    for (uint64_t i = 0; i < 300; ++i)
        data(NvtxDataKind::kMemory, 0x1000 + 8 * i, "x");
    const Profile p = imported();
    EXPECT_EQ(payload(p), R"({"n":1})");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 300 - 256);
}

TEST_F(NvtxPayloads, MeaningsThatAreTooShortAreCounted) {
    for (const auto fact :
         {wire::NvtxFact::kCounterInfo, wire::NvtxFact::kEntryCounter, wire::NvtxFact::kCounterLimits})
        define(fact, kSchema, "short", 1);
    EXPECT_EQ(imported().diagnostics.count(Diag::kBadEvent), 3);
}

}  // namespace
}  // namespace opsight::importer::capture
