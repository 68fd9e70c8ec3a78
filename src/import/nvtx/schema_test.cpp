// Payloads by schemas: layouts, arrays, texts, enums, and bytes that do not fit.
#include "import/nvtx/schema.h"

#include <gtest/gtest.h>

#include <random>

namespace opsight::nvtx {
namespace {

namespace in = wire::schema;

struct Field {
    uint64_t flags, type, detail, offset;
    std::string name;
};

std::string blob(const std::vector<Field>& fields, uint64_t size = 0, uint64_t type = in::kStatic) {
    wire::NvtxSchemaHead head{};
    head.type = type;
    head.size = size;
    head.entries = static_cast<uint32_t>(fields.size());
    std::string out(reinterpret_cast<const char*>(&head), sizeof head);
    std::string names;
    for (const Field& field : fields) {
        const wire::NvtxSchemaEntry entry{field.flags, field.type, field.detail, field.offset,
                                          field.name.size()};
        out.append(reinterpret_cast<const char*>(&entry), sizeof entry);
        names += field.name;
    }
    return out + names;
}

template <class T>
std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

constexpr uint64_t kInt = 5, kUint8 = 12, kUint16 = 14, kUint32 = 16, kUint64 = 18, kDouble = 20, kHalf = 42;
constexpr uint64_t kId = uint64_t{1} << 32, kEnumId = kId + 1, kInnerId = kId + 2;

std::string json(const Schemas& schemas, std::string_view bytes, const Schemas::Texts& texts = {}) {
    return schemas.decode(0, kId, bytes, texts).json;
}

TEST(NvtxSchema, LaysFieldsOutByTheirAlignmentWhereNoOffsetIsTold) {
    struct Sample {
        uint8_t a;
        double b;
        uint16_t c[2];
        int d;
    };
    const Sample sample{1, -2.5, {3, 4}, -5};
    Schemas schemas;
    ASSERT_TRUE(schemas.define(0, kId,
                               blob({{0, kUint8, 0, 0, "a"},
                                     {0, kDouble, 0, 0, "b"},
                                     {in::kFixedArray, kUint16, 2, 0, "c"},
                                     {0, kInt, 0, 0, "d"}}),
                               false));
    EXPECT_EQ(json(schemas, bytes_of(sample)), R"({"a": 1, "b": -2.5, "c": [3, 4], "d": -5})");
    EXPECT_TRUE(schemas.decode(0, kId, bytes_of(sample), {}).whole);
}

TEST(NvtxSchema, ReadsTextsOfEveryKind) {
    struct Sample {
        char fixed[4];
        uint64_t address, handle;
        char tail[6];
    };
    const Sample sample{{'a', 'b', 'c', 'd'}, 0x1000, 0x2000, "tail"};
    Schemas schemas;
    schemas.define_text(0x2000, "registered");
    ASSERT_TRUE(schemas.define(0, kId,
                               blob({{0, in::kText, 4, 0, "fixed"},
                                     {0, in::kText, 0, 8, "address"},
                                     {in::kEventMessage, in::kRegisteredText, 0, 16, "handle"},
                                     {in::kZeroTerminated, in::kText8, 0, 24, "tail"}}),
                               false));
    const Schemas::Decoded decoded = schemas.decode(0, kId, bytes_of(sample), {{0x1000, "say \"hi\""}});
    EXPECT_EQ(decoded.json,
              R"({"fixed": "abcd", "address": "say \"hi\"", "handle": "registered", "tail": "tail"})");
    EXPECT_EQ(decoded.message, "registered");
}

TEST(NvtxSchema, ReadsNestedSchemasEnumsAndArraysWhoseLengthAnotherFieldTells) {
    Schemas schemas;
    ASSERT_TRUE(schemas.define(
        0, kEnumId, blob({{0, 1, 0, 0, "one"}, {1, 4, 0, 0, "four"}, {1, 8, 0, 0, "eight"}}, 4), true));
    ASSERT_TRUE(
        schemas.define(0, kInnerId, blob({{0, kUint32, 0, 0, "x"}, {0, kEnumId, 0, 0, "kind"}}), false));
    ASSERT_TRUE(schemas.define(0, kId,
                               blob({{0, kUint32, 0, 0, "count"},
                                     {in::kLengthIndex, kInnerId, 0, 0, "items"},
                                     {in::kHide, kUint32, 0, 0, "no"}}),
                               false));
    const uint32_t words[] = {2, 10, 1, 20, 12, 99};
    EXPECT_EQ(json(schemas, bytes_of(words)),
              R"({"count": 2, "items": [{"x": 10, "kind": "one"}, {"x": 20, "kind": "four|eight"}]})");
}

TEST(NvtxSchema, ReadsHalfPrecisionAndNumbersByPlace) {
    const uint16_t half = 0x3e00;
    Schemas schemas;
    ASSERT_TRUE(schemas.define(0, kId, blob({{0, kHalf, 0, 0, "h"}}), false));
    EXPECT_EQ(json(schemas, bytes_of(half)), R"({"h": 1.5})");
    std::vector<std::pair<std::string, double>> found;
    schemas.numbers(0, kId, bytes_of(half),
                    [&](const std::string& place, double value) { found.emplace_back(place, value); });
    EXPECT_EQ(found, (std::vector<std::pair<std::string, double>>{{"h", 1.5}}));
}

TEST(NvtxSchema, TellsWhatDoesNotFit) {
    Schemas schemas;
    EXPECT_FALSE(schemas.decode(0, kId, "12345678", {}).whole);
    ASSERT_TRUE(schemas.define(
        0, kId, blob({{0, kUint64, 0, 0, "a"}, {in::kFixedArray, kUint64, 1000, 8, "b"}}), false));
    const Schemas::Decoded decoded = schemas.decode(0, kId, bytes_of(uint64_t{6}), {});
    EXPECT_FALSE(decoded.whole);
    EXPECT_EQ(decoded.json, R"({"a": 6, "b": []})");
    EXPECT_FALSE(schemas.define(0, kId, "short", false));
}

// A schema that holds itself, or an endless array, must neither hang nor overflow.
TEST(NvtxSchema, SurvivesAnything) {
    std::minstd_rand random(1);
    for (int round = 0; round < 3000; ++round) {
        Schemas schemas;
        for (uint64_t id = kId; id < kId + 4; ++id) {
            std::vector<Field> fields;
            for (unsigned i = random() % 6; i > 0; --i)
                fields.push_back({random() % 4096, random() % 3 ? random() % 90 : kId + random() % 5,
                                  random() % 2 ? random() % 9 : ~uint64_t{0} >> random() % 64,
                                  random() % 2 ? 0 : random() % 40, "f"});
            schemas.define(0, id, blob(fields, random() % 50, random() % 5), random() % 4 == 0);
        }
        std::string bytes(random() % 80, '\0');
        for (char& byte : bytes)
            byte = static_cast<char>(random());
        const Schemas::Decoded decoded = schemas.decode(0, kId + 3, bytes, {});
        ASSERT_LT(decoded.json.size(), size_t{1} << 20);
    }
}

}  // namespace
}  // namespace opsight::nvtx
