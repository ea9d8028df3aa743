/// An upstream that records its blocks and verifies each deallocation.
///
///     its block:   [ guard .........
///  the block of the allocator tested
///  guard ]
///                                    ^ a multiple of the alignment asked for, and of nothing stricter
///
/// Blocks hold a pattern when they are handed out, so that no allocator can rely on zeroes. Faults are collected as complaints; a
/// test ends with EXPECT_EQ(source.complaints(), no_complaints).
#pragma once

#include <mallard/adapt/failing.hpp>
#include <mallard/core/alignment.hpp>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace equipment {

class ledger {
public:
    struct request {
        std::size_t bytes;
        std::size_t alignment;
        bool operator==(const request&) const = default;
    };

    /// Larger requests are refused, as by a system without more memory.
    static constexpr std::size_t most_bytes = std::size_t{1} << 28;

    ledger() = default;
    ledger(const ledger&) = delete;
    ledger& operator=(const ledger&) = delete;
    virtual ~ledger();

    [[nodiscard]] virtual void* allocate(std::size_t bytes,
                                         std::size_t alignment = mallard::fundamental_alignment);
#ifndef __cpp_exceptions
    /// Returns: the result of allocate(); null if that ends the program. With exceptions, allocate() throws instead.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = mallard::fundamental_alignment) noexcept;
#endif
    virtual void deallocate(void* p, std::size_t bytes,
                            std::size_t alignment = mallard::fundamental_alignment) noexcept;

    /// Effects: refuses larger requests, and those of stricter alignments, from now on.
    void refuse_above(std::size_t bytes) noexcept { limit_bytes_ = bytes; }

    /// Effects: fails by this plan from now on; its requests are counted from now.
    void fail(mallard::failure_plan plan) noexcept;

    /// Returns: true if the plan has let a request fail.
    [[nodiscard]] bool failed() const noexcept { return failed_; }

    /// Returns: all requests that were granted, in their order.
    [[nodiscard]] const std::vector<request>& granted() const noexcept { return granted_; }

    /// Returns: the blocks that were granted and did not come back, in the order of addresses.
    [[nodiscard]] std::vector<std::span<const std::byte>> blocks() const;

    [[nodiscard]] std::size_t outstanding() const noexcept { return taken_.size(); }
    [[nodiscard]] std::size_t outstanding_bytes() const noexcept { return outstanding_bytes_; }
    [[nodiscard]] const std::vector<std::string>& complaints() const noexcept { return complaints_; }

private:
    struct taken {
        request as;
        std::byte* base;
    };

    void look_at(const std::byte* p, const taken& block, request returned_as);
    void complain(const void* p, const std::string& complaint);

    std::map<std::byte*, taken> taken_;
    std::vector<request> granted_;
    std::vector<std::string> complaints_;
    std::size_t outstanding_bytes_ = 0;
    std::size_t limit_bytes_ = most_bytes;
    mallard::failure_plan plan_{.at = 0};
    std::size_t requests_of_plan_ = 0;
    bool failed_ = false;
};

inline const std::vector<std::string> no_complaints;

/// A ledger that is told which parts of its blocks are not needed.
class discarding_ledger : public ledger {
public:
    struct part {
        void* begin;
        std::size_t bytes;
        bool operator==(const part&) const = default;
    };

    void discard(void* p, std::size_t bytes) noexcept { discarded_.push_back({p, bytes}); }

    [[nodiscard]] const std::vector<part>& discarded() const noexcept { return discarded_; }

private:
    std::vector<part> discarded_;
};

} // namespace equipment
