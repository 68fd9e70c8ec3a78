// Payloads by schemas: layouts, arrays, texts, enums, and bytes that do not fit.
#include "import/nvtx/payload.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace opsight::importer::nvtx {
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
           [&](const Number& number) { found.emplace_back(number.place, number.value); });
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
    EXPECT_EQ(decoded(schemas, bytes_of(sample)).problem, "nothing tells which member of a union is meant");
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
                                 [&](const Number& number) { numbers.push_back(number.place); });
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

// Memory of the program, as far as it was recorded.
struct Memory {
    std::map<uint64_t, std::string> pieces;
    Beyond beyond() const {
        Beyond beyond;
        beyond.at = [this](uint64_t address) -> std::optional<std::string_view> {
            const auto found = pieces.find(address);
            return found == pieces.end() ? std::nullopt : std::optional<std::string_view>(found->second);
        };
        return beyond;
    }
};

TEST(NvtxSchema, ShowsWhatPointersLeadTo) {
    Schemas schemas;
    ASSERT_TRUE(schemas.define(0, kInnerId, blob({{0, kInt, 0, 0, "x"}, {0, kInt, 0, 0, "y"}}), false));
    ASSERT_TRUE(schemas.define(0, kId,
                               blob({{0, kUint32, 0, 0, "n"},
                                     {in::kPointer | in::kLengthIndex, kInnerId, 0, 0, "points"},
                                     {in::kPointer, kDouble, 0, 0, "real"},
                                     {in::kPointer | in::kZeroTerminated, kUint16, 0, 0, "ended"},
                                     {in::kPointer, kInt, 0, 0, "null"},
                                     {in::kPointer, kInt, 0, 0, "lost"},
                                     {0, kUint32, 0, 0, "behind"}}),
                               false));
    schemas.settle();
    Memory memory;
    const int points[] = {1, 2, 3, 4};
    const uint16_t ended[] = {5, 6, 0, 7};
    memory.pieces = {{0x100, bytes_of(points)}, {0x200, bytes_of(2.5)}, {0x300, bytes_of(ended)}};
    const uint64_t words[] = {2, 0x100, 0x200, 0x300, 0, 0x400, 9};
    const Decoded found = decode(schemas, 0, kId, bytes_of(words), {}, {}, memory.beyond());
    EXPECT_EQ(found.json,
              R"({"n":2,"points":[{"x":1,"y":2},{"x":3,"y":4}],"real":2.5,"ended":[5,6],"null":null,)"
              R"("lost":"0x0000000000000400","behind":9})");
    EXPECT_EQ(found.problem, "what a field points to was not recorded");
}

TEST(NvtxSchema, CountsOffsetsFromTheirBeginnings) {
    Schemas schemas;
    ASSERT_TRUE(schemas.define(0, kId,
                               blob({{in::kOffsetFromBase, in::kText, 0, 0, "text"},
                                     {in::kOffsetFromHere, kInt, 0, 0, "number"},
                                     {in::kOffsetFromHere, kInt, 0, 0, "back"},
                                     {in::kOffsetFromBase, kInt, 0, 0, "outside"}}),
                               false));
    schemas.settle();
    struct {
        uint64_t text = 32, number = 24, back = static_cast<uint64_t>(-24), outside = 1000;
        char bytes[8] = "abc";
        int value = 7, other = 0;
    } sample;
    EXPECT_EQ(decode(schemas, 0, kId, bytes_of(sample), {}).json,
              R"({"text":"abc","number":7,"back":32,"outside":"0x00000000000003e8"})");
    Beyond beyond;  // of a batch: they count in the data beside it, of which a part is there
    beyond.flexible = std::string_view("xyz\0\x05\0\0\0", 8);
    beyond.flexible_begin = 32;
    sample.outside = 36;
    EXPECT_EQ(decode(schemas, 0, kId, bytes_of(sample), {}, {}, beyond).json,
              R"({"text":"xyz","number":7,"back":32,"outside":5})");
}

TEST(NvtxSchema, AsksAUnionForItsMember) {
    Schemas schemas;
    ASSERT_TRUE(schemas.define(
        0, kInnerId,
        blob({{0, in::kUnionSelector, 0, 0, "which"}, {0, kInt, 0, 0, "number"}, {0, kDouble, 0, 0, "real"}},
             0, in::kUnionWithSelector),
        false));
    ASSERT_TRUE(schemas.define(0, kId, blob({{0, kInnerId, 0, 0, "u"}, {0, kInt, 0, 0, "behind"}}), false));
    struct {
        int which = 1;
        union {
            int number;
            double real;
        };
        int behind = 8;
    } sample;
    sample.number = -3;
    EXPECT_EQ(json(schemas, bytes_of(sample)), R"({"u":{"number":-3},"behind":8})");
    sample.which = 2;
    sample.real = 0.5;
    EXPECT_EQ(json(schemas, bytes_of(sample)), R"({"u":{"real":0.5},"behind":8})");
    for (const int wrong : {0, 3, 255}) {
        sample.which = wrong;
        EXPECT_EQ(decoded(schemas, bytes_of(sample)).problem,
                  "nothing tells which member of a union is meant");
    }
}

TEST(NvtxSchema, TakesALengthFromAnotherPayload) {
    Schemas schemas;
    ASSERT_TRUE(
        schemas.define(0, kId, blob({{in::kLengthPayload, kInt, 1, 0, "a"}}, 0, in::kDynamic), false));
    ASSERT_TRUE(schemas.define(0, kInnerId, blob({{0, kUint16, 0, 0, "n"}}), false));
    schemas.settle();
    EXPECT_EQ(decode(schemas, 0, kInnerId, bytes_of(uint16_t{2}), {}).integer, 2u);
    const uint64_t lengths[] = {2, 3};
    EXPECT_EQ(decode(schemas, 0, kUint64, bytes_of(lengths), {}).integer, 6u);
    EXPECT_EQ(decode(schemas, 0, kUint64, bytes_of(lengths), {}).json, "[2,3]");
    Beyond beyond;
    beyond.length_in = [](uint64_t payload) { return std::optional<uint64_t>(payload + 1); };
    const int values[] = {4, 5};
    EXPECT_EQ(decode(schemas, 0, kId, bytes_of(values), {}, {}, beyond).json, R"({"a":[4,5]})");
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
        Beyond beyond;
        beyond.at = [&](uint64_t address) -> std::optional<std::string_view> {
            if (address % 3 == 0) return std::nullopt;
            return std::string_view(bytes).substr(address % (bytes.size() + 1));
        };
        beyond.length_in = [](uint64_t payload) -> std::optional<uint64_t> { return payload * 0x9e3779b9; };
        if (random() % 2) beyond.flexible = std::string_view(bytes).substr(bytes.size() / 2);
        ASSERT_LT(decode(schemas, 0, kId + 3, bytes, {}, {}, beyond).json.size(), size_t{1} << 20);
    }
}

}  // namespace
}  // namespace opsight::importer::nvtx
