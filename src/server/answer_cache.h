// Answers that were given before. A profile does not change while it is served, so the same question has the
// same answer; those asked for last are kept, up to a number of bytes. Who asks what is being worked out
// waits for it rather than working it out again.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "server/http.h"

namespace opsight::server {

class AnswerCache {
  public:
    explicit AnswerCache(size_t most_bytes = size_t{64} << 20) : most_bytes_(most_bytes) {}

    // The answer for `key`: what is kept, or what `make` gives. Only whole answers with status 200 are kept.
    Response get(const std::string& key, const std::function<Response()>& make);

  private:
    struct Kept {
        std::string key;
        Response response;
    };
    void keep(const std::string& key, const Response& response);

    const size_t most_bytes_;
    std::mutex mutex_;
    std::condition_variable made_;
    std::list<Kept> list_;  // used last at the end
    std::map<std::string, std::list<Kept>::iterator> places_;
    std::map<std::string, int> making_;
    size_t bytes_ = 0;
};

}  // namespace opsight::server
