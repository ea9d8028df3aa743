#include "trial/serve/server.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>

namespace mallard::trial {

namespace {

constinit std::atomic<server*> all_servers{nullptr};

} // namespace

server::server(const strategy& by, std::size_t most_bytes, counts& into) noexcept
    : strategy_(&by), allocate_(by.allocate), deallocate_(by.deallocate),
      too_many_bytes_(by.largest_bytes == 0
                          ? 0
                          : std::min({by.largest_bytes, most_bytes, region_upstream::most_bytes / 2}) + 1),
      counts_(into), upstream_(this, into) {
    by.make(*this);
}

server* server::take(const strategy& by, std::size_t most_bytes, report& into) noexcept {
    for (server* each = all_servers.load(std::memory_order_acquire); each != nullptr; each = each->next_) {
        bool taken = false;
        if (each->taken_.compare_exchange_strong(taken, true, std::memory_order_acq_rel)) {
            return each;
        }
    }
    std::uint32_t number = into.servers.load(std::memory_order_relaxed);
    do {
        if (number >= report::most_servers) {
            return nullptr;
        }
    } while (!into.servers.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));
    void* const memory =
        ::mmap(nullptr, sizeof(server), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    auto* const made = new (memory) server(by, most_bytes, into.of_server[number]);
    made->next_ = all_servers.load(std::memory_order_relaxed);
    while (!all_servers.compare_exchange_weak(made->next_, made, std::memory_order_release)) {
    }
    return made;
}

void* server::refuse() noexcept {
    std::uint64_t& reason = strategy_->largest_bytes == 0 ? counts_.in_null
                            : upstream_.has_room()        ? counts_.too_large
                                                          : counts_.no_room;
    ++reason;
    return nullptr;
}

void server::stop_at_wrong_free() noexcept {
    constexpr std::string_view told =
        "mallard try: a block of the scope was freed twice, or never allocated\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, told.data(), told.size());
    std::abort();
}

/// Effects: the block waits for the owner.
void server::give_back(void* block) noexcept {
    auto** const link = static_cast<void**>(block);
    *link = returned_.load(std::memory_order_relaxed);
    while (!returned_.compare_exchange_weak(*link, block, std::memory_order_release)) {
    }
}

/// Effects: frees what other threads have given back.
void server::take_back() noexcept {
    void* block = returned_.exchange(nullptr, std::memory_order_acquire);
    while (block != nullptr) {
        void* const next = *static_cast<void**>(block);
        // Two threads that freed the block are told apart here only.
        if (the_region.size_at(block) == region::no_block) [[unlikely]] {
            stop_at_wrong_free();
        }
        deallocate_(*this, block);
        --counts_.freed;
        ++counts_.freed_by_others;
        block = next;
    }
}

} // namespace mallard::trial
