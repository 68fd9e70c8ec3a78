// Payloads by schemas: layouts, arrays, texts, enums, and bytes that do not fit.
#include "import/nvtx/payload.h"

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

Decoded decoded(Schemas& schemas, std::string_view bytes, const TextOf& texts = {}) {
    schemas.settle();
    return decode(schemas, 0, kId, bytes, texts);
}
std::string json(Schemas& schemas, std::string_view bytes) {
    const Decoded found = decoded(schemas, bytes);
    EXPECT_EQ(found.problem, "");
    return found.json;
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
    EXPECT_EQ(json(schemas, bytes_of(sample)), R"({"a":1,"b":-2.5,"c":[3,4],"d":-5})");
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
    const Decoded found = decoded(schemas, bytes_of(sample), [&](uint64_t type, uint64_t value) {
        if (type == in::kRegisteredText) return *schemas.registered(value);
        return std::string(value == 0x1000 ? "say \"hi\"" : "");
    });
    EXPECT_EQ(found.json, R"({"fixed":"abcd","address":"say \"hi\"","handle":"registered","tail":"tail"})");
    EXPECT_EQ(found.message, "registered");
    EXPECT_EQ(found.problem, "");
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
              R"({"count":2,"items":[{"x":10,"kind":"one"},{"x":20,"kind":"four | eight"}]})");
}

TEST(NvtxSchema, ReadsHalfPrecisionAndNumbersByPlace) {
    const uint16_t half = 0x3e00;
    Schemas schemas;
    ASSERT_TRUE(schemas.define(0, kId, blob({{0, kHalf, 0, 0, "h"}}), false));
    EXPECT_EQ(json(schemas, bytes_of(half)), R"({"h":1.5})");
    std::vector<std::pair<std::string, double>> found;
    decode(schemas, 0, kId, bytes_of(half), {},
           [&](const std::string& place, double value) { found.emplace_back(place, value); });
    EXPECT_EQ(found, (std::vector<std::pair<std::string, double>>{{"h", 1.5}}));
}

TEST(NvtxSchema, TellsWhatDoesNotFit) {
    Schemas schemas;
    EXPECT_EQ(decoded(schemas, "12345678").problem, "there is no schema 4294967296");
    ASSERT_TRUE(schemas.define(0, kId,
                               blob({{0, kUint64, 0, 0, "a"},
                                     {in::kFixedArray, kUint64, 1000, 8, "b"},
                                     {0, kUint64, 0, 0, "after it"},
                                     {0, kUint16, 0, 2, "told"}}),
                               false));
    const Decoded found = decoded(schemas, bytes_of(uint64_t{6}));
    EXPECT_EQ(found.problem, "it ends too early");
    EXPECT_EQ(found.json, R"({"a":6,"b":[],"told":0})");
    EXPECT_FALSE(schemas.define(0, kId, "short", false));
}

// What lies in another schema may be defined after it, and may be longer than its entries.
TEST(NvtxSchema, KnowsHowLargeWhatLiesInItIs) {
    Schemas schemas;
    ASSERT_TRUE(schemas.define(
        0, kId,
        blob({{0, kUint8, 0, 0, "a"}, {in::kFixedArray, kInnerId, 2, 0, "inner"}, {0, kUint16, 0, 0, "z"}}),
        false));
    ASSERT_TRUE(schemas.define(0, kInnerId, blob({{0, kUint32, 0, 0, "x"}, {0, kUint8, 0, 0, "y"}}), false));
    const uint32_t words[] = {1, 2, 3, 4, 5, 6};
    EXPECT_EQ(json(schemas, bytes_of(words)), R"({"a":1,"inner":[{"x":2,"y":3},{"x":4,"y":5}],"z":6})");
}

TEST(NvtxSchema, ReadsTheMemberOfAUnionThatAnotherFieldTells) {
    Schemas schemas;
    ASSERT_TRUE(schemas.define(
        0, kInnerId, blob({{0, kUint32, 0, 0, "whole"}, {0, kDouble, 0, 0, "part"}}, 0, in::kUnion), false));
    ASSERT_TRUE(schemas.define(
        0, kId, blob({{0, kUint32, 0, 0, "which"}, {0, kInnerId, 0, 0, "value"}, {0, kUint8, 0, 0, "after"}}),
        false));
    struct {
        uint32_t which = 1;
        double value = 0.25;
        uint8_t after = 7;
    } sample;
    EXPECT_EQ(json(schemas, bytes_of(sample)), R"({"which":1,"value":{"part":0.25},"after":7})");
    sample.which = 2;
    EXPECT_EQ(decoded(schemas, bytes_of(sample)).problem, "schema 4294967298 has the type 3");
}

TEST(NvtxSchema, ArraysOfSeveralDimensions) {
    Schemas schemas;
    ASSERT_TRUE(schemas.define(0, kId,
                               blob({{in::kFixedArray, kUint16, 2, 0, "shape"},
                                     {in::kLengthIndex, kUint8, 0, 0, "values"},
                                     {in::kZeroTerminated, kUint8, 0, 0, "rest"}}),
                               false));
    const uint8_t bytes[] = {2, 0, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0};
    EXPECT_EQ(json(schemas, bytes_of(bytes)), R"({"shape":[2,3],"values":[1,2,3,4,5,6],"rest":[7,8]})");
}

TEST(NvtxSchema, EntriesTellTimesOfTheEvent) {
    Schemas schemas;
    ASSERT_TRUE(schemas.define(0, kId,
                               blob({{in::kTimestamp | in::kRangeBegin, 17, 0, 0, "begin"},
                                     {in::kTimestamp | in::kRangeEnd, 17, 0, 0, "end"},
                                     {0, in::kCategory, 0, 0, "category"},
                                     {0, in::kThread32, 0, 0, "thread"},
                                     {0, kUint64, 0, 0, "bytes"}}),
                               false));
    schemas.define_clock(0, kId, 1, 99);
    const uint64_t words[] = {1000, 5000, 12 | uint64_t{34} << 32, 4096};
    std::vector<std::string> numbers;
    schemas.settle();
    const Decoded found = decode(schemas, 0, kId, bytes_of(words), {},
                                 [&](const std::string& place, double) { numbers.push_back(place); });
    EXPECT_EQ(found.problem, "");
    ASSERT_TRUE(found.begin && found.end);
    EXPECT_EQ(found.begin->value, 1000);
    EXPECT_EQ(found.begin->clock, 0u);
    EXPECT_EQ(found.end->value, 5000);
    EXPECT_EQ(found.end->clock, 99u);
    EXPECT_EQ(found.category, 12u);
    EXPECT_EQ(found.thread, 34u);
    EXPECT_EQ(numbers, std::vector<std::string>{"bytes"});
}

TEST(NvtxSchema, TakesNoTimeFromAnArray) {
    Schemas schemas;
    ASSERT_TRUE(schemas.define(0, kId,
                               blob({{in::kTimestamp | in::kFixedArray, 17, 0, 0, "empty"},
                                     {in::kTimestamp | in::kZeroTerminated, 17, 0, 0, "ended"}}),
                               false));
    const Decoded found = decoded(schemas, bytes_of(uint64_t{0}));
    EXPECT_EQ(found.json, R"({"empty":[],"ended":[]})");
    EXPECT_FALSE(found.begin || found.end);
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
        schemas.settle();
        ASSERT_LT(decode(schemas, 0, kId + 3, bytes, {}).json.size(), size_t{1} << 20);
    }
}

}  // namespace
}  // namespace opsight::nvtx
