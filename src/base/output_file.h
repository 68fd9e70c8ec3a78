// A file that a command writes: whole under its name, or not there. It is made under another name beside it,
// and what was there before stays until then. Only regular files are replaced, and only where that is asked
// for: a device, a pipe or a link of that name is somebody else's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/left_behind.h"
#include "base/result.h"

namespace opsight {

// Whether a file may be written under that name: what to find out before long work.
Status check_output(const std::string& path, bool replace);

// Whether a file of that name is what an OutputFile writes for `file` (without its folder) before it is
// there.
bool is_being_written(std::string_view name, std::string_view file);

class OutputFile {
  public:
    static Result<OutputFile> create(const std::string& path, bool replace);
    // For what writes the file itself: nothing is made yet under temporary().
    static Result<OutputFile> reserve(const std::string& path, bool replace);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    const std::string& temporary() const { return parts_.front().path(); }
    Status write(std::string_view text);
    // Gives it its name once it is on the disk.
    Status commit();

  private:
    OutputFile(std::string path, bool replace, std::vector<LeftBehind> parts);
    Status failed(std::string_view what, int problem) const;
    std::string path_;
    bool replace_;
    std::vector<LeftBehind> parts_;  // the file, and what DuckDB keeps beside one
    int file_ = -1;
};

}  // namespace opsight
