// Writes profiles in XPlane form, for tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/protobuf/test_bytes.h"

namespace opsight::importer::xplane {

using protobuf::Bytes;

struct TestStat {
    std::string name, text;  // a text, or where that is empty a number
    int64_t number = 0;
};

struct TestEvent {
    std::string name;
    int64_t offset_ps = 0, dur_ps = 0;
    std::vector<TestStat> stats;
};

class TestPlane {
  public:
    explicit TestPlane(std::string name) : name_(std::move(name)) {}

    TestPlane& line(int64_t id, std::string_view name, int64_t timestamp_ns,
                    const std::vector<TestEvent>& events) {
        Bytes line;
        line.number(1, id).text(2, name).number(3, timestamp_ns);
        for (const TestEvent& event : events) {
            Bytes bytes;
            bytes.number(1, number_of(types_, event.name)).number(2, event.offset_ps).number(3, event.dur_ps);
            for (const TestStat& stat : event.stats)
                bytes.text(4, stat_bytes(stat));
            line.text(4, bytes.all);
        }
        lines_ += Bytes().text(3, line.all).all;
        return *this;
    }
    TestPlane& stat(const TestStat& stat) {
        stats_ += Bytes().text(6, stat_bytes(stat)).all;
        return *this;
    }
    // As a field of the outermost message: names stand behind the lines, as profilers write them.
    std::string bytes() const {
        std::string all = Bytes().text(2, name_).all + lines_;
        for (const auto& [field, names] : {std::pair(4, &types_), std::pair(5, &names_)})
            for (const auto& [name, number] : *names)
                all += Bytes()
                           .text(field, Bytes()
                                            .number(1, number)
                                            .text(2, Bytes().number(1, number).text(2, name).all)
                                            .all)
                           .all;
        return Bytes().text(1, all + stats_).all;
    }

  private:
    using Names = std::map<std::string, int64_t>;
    static int64_t number_of(Names& names, const std::string& name) {
        return names.try_emplace(name, static_cast<int64_t>(names.size()) + 1).first->second;
    }
    std::string stat_bytes(const TestStat& stat) {
        Bytes bytes;
        bytes.number(1, number_of(names_, stat.name));
        return stat.text.empty() ? bytes.number(4, stat.number).all : bytes.text(5, stat.text).all;
    }

    std::string name_, lines_, stats_;
    Names types_, names_;
};

}  // namespace opsight::importer::xplane
