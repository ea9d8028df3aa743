/// The size of the pages that this process gets: a condition of an experiment, equal for all strategies.
#pragma once

#include <string>
#include <vector>

namespace bench {

/// While it lives, the system gives this process no huge pages, even on request.
class small_pages_only {
public:
    small_pages_only() noexcept;
    small_pages_only(const small_pages_only&) = delete;
    small_pages_only& operator=(const small_pages_only&) = delete;
    ~small_pages_only();

    /// True if the system supports this.
    [[nodiscard]] bool works() const noexcept { return works_; }

private:
    bool works_;
};

/// True if this process was started with the environment in which mallocs ask for huge pages.
[[nodiscard]] bool malloc_asks_for_huge_pages() noexcept;

/// Effects: executes this program again, with its arguments and that environment, because a malloc reads the
/// environment only when the process starts. Returns only if the system refuses, and then adds a note.
void execute_again_with_huge_pages(std::vector<std::string>& notes);

} // namespace bench
