/// Which pages this process gets: a condition of an experiment, the same for all of its strategies.
#pragma once

#include <string>
#include <vector>

namespace bench {

/// While it lives the system gives this process no huge pages, whoever asks for them.
class small_pages_only {
public:
    small_pages_only() noexcept;
    small_pages_only(const small_pages_only&) = delete;
    small_pages_only& operator=(const small_pages_only&) = delete;
    ~small_pages_only();

    /// Whether the system took it.
    [[nodiscard]] bool works() const noexcept { return works_; }

private:
    bool works_;
};

/// Whether this process was started with the environment in which mallocs ask for huge pages.
[[nodiscard]] bool malloc_asks_for_huge_pages() noexcept;

/// Effects: executes this program again, with the same arguments, in that environment: a malloc reads it when
/// the process starts, and never again. Returns only where the system does not do it, and says so in `notes`.
void execute_again_with_huge_pages(std::vector<std::string>& notes);

} // namespace bench
