// A push into a folder. Its files lie below _staging/ until commit(), each whole and on the disk before it
// has its name; one that is there of an earlier try is not written again.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/parquet/folder_lock.h"
#include "fleet/store/store.h"

namespace opsight::fleet::parquet {

class ParquetPush : public Push {
  public:
    // `root` ends with a slash, and is a store.
    static Result<std::unique_ptr<Push>> begin(const std::string& root, const PushId& id);
    bool has(const Part& part) const override;
    Status stage(const Part& part, RowSource& source, const duck::Statement& rows) override;
    Status commit(const std::vector<Part>& parts) override;

  private:
    ParquetPush(std::string root, PushId id, std::string folder, FolderLock lock)
        : root_(std::move(root)), id_(std::move(id)), folder_(std::move(folder)), lock_(std::move(lock)) {}
    Status move_files(const std::vector<Part>& parts) const;
    Status name_them(const std::vector<Part>& parts) const;
    void remove_superseded() const;

    std::string root_;
    PushId id_;
    std::string folder_;  // below _staging/, with a slash at its end
    FolderLock lock_;     // of the folder
    std::map<std::string, int64_t>
        told_;  // where the push is in force already: its files, and how large they must be
};

}  // namespace opsight::fleet::parquet
