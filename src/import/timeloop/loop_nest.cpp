// Timeloop's *.map.txt: for each level, from the outermost, what it holds and its loops.
//   GlobalBuffer [ Inputs:3600 (3600) Outputs:32448 (32448) ]
//   |     for K in [0:12)
//   |         for Q in [0:13) (Spatial-X)
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "import/timeloop/readers.h"

namespace opsight::importer::timeloop {
namespace {

using map::Across;
using map::Loop;
using map::Mapping;

class NestReader {
  public:
    NestReader(const std::string& file, const map::Architecture& architecture, const map::Problem& problem,
               Places& places)
        : file_(file), architecture_(architecture), problem_(problem), places_(places) {
        mapping_.levels.resize(architecture.levels.size());
        for (map::LevelMapping& level : mapping_.levels)
            level.kept = 0;
    }

    Result<Mapping> read(const std::string& text) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            ++line_;
            if (line.find(" for ") != std::string::npos && line.starts_with('|')) {
                OPSIGHT_TRY(read_loop(line.substr(line.find(" for ") + 5)));
            } else if (line.find('[') != std::string::npos) {
                OPSIGHT_TRY(read_level(line));
            }
        }
        if (level_ < 0) return refuse("no level of the architecture is in it");
        for (map::LevelMapping& level : mapping_.levels)
            std::reverse(level.loops.begin(), level.loops.end());
        return mapping_;
    }

  private:
    tl::unexpected<Error> refuse(std::string what) const {
        return fail(std::move(what), file_, fmt::format("line {}", line_),
                    "a loop nest as Timeloop writes it to *.map.txt was expected");
    }

    // "DRAM [ Weights:96 (96) Inputs:18 (18) ]"
    Status read_level(const std::string& line) {
        const size_t open = line.find('[');
        const std::string name = line.substr(0, line.find_last_not_of(' ', open - 1) + 1);
        level_ = open == 0 ? -1 : architecture_.level(name);
        if (level_ < 0) return refuse(fmt::format("the architecture has no level '{}'", name));
        std::istringstream words(line.substr(open + 1));
        for (std::string word; words >> word && word != "]";) {
            if (word.starts_with('(')) continue;
            const int space = problem_.space(word.substr(0, word.find(':')));
            if (space < 0) return refuse(fmt::format("the problem has no data space as in '{}'", word));
            mapping_.levels[level_].kept |= 1U << space;
        }
        return {};
    }

    // "Q in [0:13) (Spatial-X)"
    Status read_loop(const std::string& text) {
        Loop loop;
        if (level_ < 0) return refuse("a loop comes before the first level");
        const std::string name = text.substr(0, text.find(' '));
        loop.dimension = problem_.dimension(name);
        if (loop.dimension < 0) return refuse(fmt::format("there is no dimension '{}'", name));
        const size_t begin = text.find("[0:");
        if (begin == std::string::npos) return refuse("a loop from 0 was expected");
        const char* end = text.data() + text.size();
        const auto [stop, bad] = std::from_chars(text.data() + begin + 3, end, loop.count);
        if (bad != std::errc() || stop == end || *stop != ')')
            return refuse("a loop to a whole number was expected; loops with a remainder are not supported");
        if (text.find("Spatial-X") != std::string::npos) loop.across = Across::kX;
        if (text.find("Spatial-Y") != std::string::npos) loop.across = Across::kY;
        if (loop.count == 1) return {};
        mapping_.levels[level_].loops.push_back(loop);
        places_["dimension " + name] = {file_, line_};
        places_[(loop.across == Across::kTime ? "loops of " : "loops across ") +
                architecture_.levels[level_].name] = {file_, line_};
        return {};
    }

    const std::string& file_;
    const map::Architecture& architecture_;
    const map::Problem& problem_;
    Places& places_;
    Mapping mapping_;
    int line_ = 0, level_ = -1;
};

}  // namespace

Result<Mapping> read_loop_nest(const std::string& text, const std::string& file,
                               const map::Architecture& architecture, const map::Problem& problem,
                               Places& places) {
    return NestReader(file, architecture, problem, places).read(text);
}

}  // namespace opsight::importer::timeloop
