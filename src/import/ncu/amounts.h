// Numbers and units as ncu prints them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opsight::importer::ncu {

// Numbers are printed as the locale of whoever ran ncu has them: 1,234.5 or 1.234,5.
enum class Locale : uint8_t { kPoint, kComma };

// What numbers tell of the locale that printed them; kPoint where none can tell.
class LocaleVotes {
  public:
    // `unit`: where it tells what is counted whole, three digits behind a separator are thousands.
    void add(std::string_view number, std::string_view unit = {});
    Locale most() const { return commas_ > points_ ? Locale::kComma : Locale::kPoint; }

  private:
    size_t points_ = 0, commas_ = 0;
};

// An id or size, without separators; empty: it is none.
std::optional<int64_t> integer(std::string_view text);

// Empty: it is not a number of that locale.
std::optional<double> number(std::string_view text, Locale locale);

// A unit without its prefix: what to multiply with, and its name. Times become ns, rates those of a second:
// "Mbyte" is 1e6 "byte", "us" 1e3 "ns", "byte/ns" 1e9 "byte/s", "Ghz" 1e9 "hz". Others stay as they are.
struct BaseUnit {
    double factor = 1;
    std::string name;
};
BaseUnit base_unit(std::string_view unit);

}  // namespace opsight::importer::ncu
