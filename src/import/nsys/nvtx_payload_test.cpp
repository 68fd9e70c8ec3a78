#include "import/nsys/nvtx_payload.h"

#include <gtest/gtest.h>

#include <bit>

namespace opsight::importer::nsys {
namespace {

constexpr int64_t kDomain = 1, kSchema = (1 << 24) + 2;

std::string bytes(uint64_t value, size_t size = 8) {
    std::string out;
    for (size_t i = 0; i < size; ++i)
        out += static_cast<char>(value >> (8 * i));
    return out;
}
std::string with_header(const std::string& payload, int64_t schema = kSchema) {
    return bytes(1) + bytes(static_cast<uint64_t>(schema)) + bytes(payload.size()) +
           bytes(32 + payload.size()) + payload;
}

struct Fixture {
    std::map<int64_t, nvtx::Schema> schemas;
    void entry(int64_t type, std::string name, int64_t offset = 0, int64_t flags = 0, int64_t detail = 0,
               int64_t schema = kSchema) {
        schemas[schema].entries.push_back({static_cast<uint64_t>(flags), static_cast<uint64_t>(type),
                                           static_cast<uint64_t>(detail), static_cast<uint64_t>(offset),
                                           std::move(name)});
    }
    nvtx::Decoded decode(const std::string& binary, int64_t domain = kDomain) const {
        nvtx::Schemas all;
        for (const auto& [id, schema] : schemas)
            all.define(kDomain, static_cast<uint64_t>(id), schema);
        all.settle();
        return decode_payload(all, domain, binary,
                              [](uint64_t, uint64_t id) { return id == 7 ? std::string("a file") : ""; });
    }
    std::string json(const std::string& payload) const {
        const auto decoded = decode(with_header(payload));
        EXPECT_EQ(decoded.problem, "");
        return decoded.json;
    }
    std::string problem(const std::string& payload) const { return decode(with_header(payload)).problem; }
};

// As NCCL 2.2x describes ncclSend.
Fixture nccl() {
    Fixture f;
    f.entry(18, "NCCL communicator ID");
    f.entry(22, "Message size [bytes]", 8);
    f.entry(5, "Peer rank", 16);
    f.schemas[kSchema].size = 24;
    return f;
}
const std::string kSend = bytes(0xfedcba9876543210) + bytes(4096) + bytes(3, 4) + bytes(0, 4);

TEST(NvtxPayload, FieldsOfNcclByTheirNames) {
    EXPECT_EQ(nccl().json(kSend),
              R"({"NCCL communicator ID":18364758544493064720,"Message size [bytes]":4096,"Peer rank":3})");
}

TEST(NvtxPayload, HexIsReadToo) {
    std::string text;
    constexpr char kDigits[] = "0123456789abcdef";
    for (const char c : with_header(kSend)) {
        text += kDigits[static_cast<unsigned char>(c) >> 4];
        text += kDigits[static_cast<unsigned char>(c) & 15];
    }
    EXPECT_EQ(nccl().decode(text).json, nccl().json(kSend));
    EXPECT_EQ(nccl().decode("0x" + text).json, nccl().json(kSend));
}

TEST(NvtxPayload, EveryKindOfValue) {
    Fixture f;
    f.entry(11, "int8");
    f.entry(13, "int16");
    f.entry(1, "char");
    f.entry(19, "float");
    f.entry(20, "double");
    f.entry(42, "half");
    f.entry(50, "bf16");
    f.entry(23, "address");
    f.entry(80, "handle");
    f.entry(32, "raw", 0, 1 << 4, 3);
    f.entry(75, "word", 0, 0, 4);
    EXPECT_EQ(
        f.json(bytes(0xff, 1) + bytes(0, 1) + bytes(0xfffe, 2) + bytes('x', 1) + bytes(0, 3) +
               bytes(std::bit_cast<uint32_t>(0.5f), 4) + bytes(0, 4) + bytes(std::bit_cast<uint64_t>(-2.25)) +
               bytes(0xc000, 2) + bytes(0x3f80, 2) + bytes(0, 4) + bytes(0xabc) + bytes(7) +
               std::string("\x01\x02\xff", 3) + std::string("ab\0c", 4)),
        R"({"int8":-1,"int16":-2,"char":"x","float":0.5,"double":-2.25,"half":-2.0,"bf16":1.0,)"
        R"("address":"0x0000000000000abc","handle":"a file","raw":"0102ff","word":"ab"})");
}

TEST(NvtxPayload, ArraysSchemasInSchemasAndNamesOfValues) {
    Fixture f;
    constexpr int64_t kPoint = (1 << 24) + 9, kColor = (1 << 24) + 10;
    f.entry(5, "x", 0, 0, 0, kPoint);
    f.entry(5, "y", 4, 0, 0, kPoint);
    nvtx::Schema& color = f.schemas[kColor];
    color.is_enum = true;
    color.size = 4;
    color.entries = {{1, 1, 0, 0, "red"}, {1, 2, 0, 0, "blue"}, {0, 9, 0, 0, "none"}};
    f.entry(6, "count");
    f.entry(5, "list", 0, 3 << 4, 0);  // as long as `count` says
    f.entry(kPoint, "points", 0, 1 << 4, 2);
    f.entry(kColor, "one");
    f.entry(kColor, "two");
    f.entry(kColor, "other");
    EXPECT_EQ(f.json(bytes(2, 4) + bytes(10, 4) + bytes(11, 4) + bytes(1, 4) + bytes(2, 4) + bytes(3, 4) +
                     bytes(4, 4) + bytes(9, 4) + bytes(3, 4) + bytes(8, 4)),
              R"({"count":2,"list":[10,11],"points":[{"x":1,"y":2},{"x":3,"y":4}],"one":"none",)"
              R"("two":"red | blue","other":8})");
}

TEST(NvtxPayload, WhatCannotBeReadSaysWhy) {
    Fixture f = nccl();
    EXPECT_EQ(f.decode("").problem, "it is shorter than its header");
    EXPECT_EQ(f.decode(with_header(kSend).substr(0, 40)).problem, "it is shorter than it says");
    EXPECT_EQ(f.decode(with_header(kSend, kSchema + 1)).problem, "there is no schema 16777219");
    EXPECT_EQ(f.decode(with_header(kSend), 2).problem, "there is no schema 16777218");
    EXPECT_EQ(f.decode(with_header(kSend) + kSend).problem, "more payloads follow the first");
    const auto half = f.decode(with_header(kSend.substr(0, 12)));
    EXPECT_EQ(half.problem, "it ends too early");
    EXPECT_EQ(half.json, R"({"NCCL communicator ID":18364758544493064720})");
    f.schemas[kSchema].ambiguous = true;
    EXPECT_EQ(f.problem(kSend), "there are several schemas 16777218");
    f.schemas[kSchema].ambiguous = false;
    f.schemas[kSchema].type = 3;
    EXPECT_EQ(f.problem(kSend), "nothing tells which member of a union is meant");
    for (const auto& [type, flags, detail] : std::vector<std::array<int64_t, 3>>{{5, 1 << 1, 0},
                                                                                 {5, 2 << 4, 0},
                                                                                 {5, 3 << 4, 5},
                                                                                 {5, 1 << 4, -1},
                                                                                 {5, 1 << 4, 1 << 30},
                                                                                 {99, 0, 0}}) {
        Fixture odd;
        odd.entry(type, "odd", 0, flags, detail);
        EXPECT_NE(odd.problem(std::string(64, '\1')), "") << type << " " << flags;
    }
    Fixture itself;
    itself.entry(kSchema, "again");
    EXPECT_EQ(itself.problem(kSend), "schemas lie too deep in each other");
}

TEST(NvtxPayload, TypesThatNeedNoSchema) {
    Fixture f;
    EXPECT_EQ(f.decode(with_header(bytes(42), 18)).json, "42");
    EXPECT_EQ(f.decode(with_header("loss", 75)).json, "\"loss\"");
    EXPECT_EQ(f.decode(with_header(bytes(0x1ff, 2), 1023)).json, "\"ff01\"");  // raw bytes
    EXPECT_NE(f.decode(with_header(bytes(1), 999)).problem, "");
}

}  // namespace
}  // namespace opsight::importer::nsys
