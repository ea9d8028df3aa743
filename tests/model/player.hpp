/// Performs random operations on an allocator and compares the results with its shadow.
///
///     random source -> requests -> operation -> the subject  -> valid? undamaged? equal to the shadow?
///                                            -> the shadow
///
/// Data model: a single player uses the subject, or several do, each in its thread with its own shadow. Several players
/// exchange blocks through a mailbox, and never release the subject.
/// The number of live blocks follows a target that changes at random, so that the allocator fills and empties in waves.
#pragma once

#include "model/findings.hpp"
#include "model/random_source.hpp"
#include "model/shadow.hpp"
#include "model/subject.hpp"

#include <mallard/core/block_chain.hpp>
#include <mallard/core/expansion.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace model {

/// Blocks that threads hand over to other threads for deallocation.
class mailbox {
public:
    /// Returns: true if there was room.
    [[nodiscard]] bool put(const block& b) {
        const std::scoped_lock lock(mutex_);
        if (blocks_.size() == most) {
            return false;
        }
        blocks_.push_back(b);
        return true;
    }

    [[nodiscard]] std::optional<block> take() {
        const std::scoped_lock lock(mutex_);
        if (blocks_.empty()) {
            return std::nullopt;
        }
        const block b = blocks_.back();
        blocks_.pop_back();
        return b;
    }

private:
    static constexpr std::size_t most = 256;

    std::mutex mutex_;
    std::vector<block> blocks_;
};

/// How thorough and how varied a run is.
struct pace {
    detail contents = detail::complete;
    std::size_t operations_per_look = 1;   ///< between checks of the allocator by itself
    std::size_t operations_per_wave = 128; ///< between changes of the number of live blocks
    std::size_t special = 64; ///< of 256 operations are rarer ones than allocate, deallocate and expand
    bool wide = true;         ///< requests of all sizes and alignments in every run
};

inline constexpr pace thorough{};
inline constexpr pace fast{detail::sampled, 16384, 2048, 12, false};

class player {
public:
    /// `others`: the mailbox shared with players in other threads, or null.
    player(subject& s, const bounds& most, random_source random, const pace& speed,
           mailbox* others = nullptr);

    /// Effects: performs `operations` operations, or those that the random source has. Stops at the first fault, and when
    /// a subject without reuse is full.
    void play(std::size_t operations);

    /// Effects: looks at all blocks and deallocates them, or leaves them to a release.
    void free_all();
    void release();
    void look_at_all();

    /// Effects: never releases the subject.
    void keep_memory() noexcept { able_.releases = able_.rewinds = false; }

    [[nodiscard]] std::size_t operations() const noexcept { return operations_; }

    /// Returns: true if there was no fault.
    [[nodiscard]] bool succeeded() const noexcept { return findings_.nothing(); }

    /// Returns: the fault and the operations that led to it; empty if there was none.
    [[nodiscard]] std::string fault() const { return findings_.report(); }

private:
    struct position {
        std::uint64_t stamp; ///< of the first block after it
        std::size_t bytes_in_use;
    };

    void step();
    void special();

    void allocate(bool at_least);
    void deallocate();
    void free_block(std::size_t i);
    void free_everything();
    void burst();
    void mixed_burst();
    void free_burst();
    void free_mixed_burst();
    void change_size();
    void shrink(std::size_t i);
    void expand(std::size_t i);
    void expand_nothing();
    void resize_last();
    void look_at_one();
    void ask_the_impossible();
    void make_upstream_fail();
    void change_memory();
    void mark();
    void roll_back();
    void rewind();
    void exchange();
    void look();

    [[nodiscard]] bool is_full(std::size_t bytes) const noexcept;
    [[nodiscard]] std::size_t room_for_blocks() const noexcept;
    [[nodiscard]] std::size_t bytes_in_use() const noexcept;
    void remember(void* p, std::size_t bytes, std::size_t requested_bytes, std::size_t alignment);
    void remember(mallard::block_chain&& blocks, std::span<const std::size_t> sizes, std::size_t alignment);
    template <class Get>
    void* ask(std::size_t bytes, std::size_t alignment, Get get);
    void refuse(std::size_t bytes, std::size_t alignment);
    void expect(const char* wrong) noexcept { findings_.expect(wrong); }
    void check(bool is_true, const char* wrong) noexcept { findings_.expect(is_true ? nullptr : wrong); }

    subject& subject_;
    const bounds& most_;
    pace speed_;
    abilities able_;
    random_source random_;
    requests requests_;
    mailbox* others_;
    shadow blocks_;
    findings findings_;
    std::vector<position> marks_; ///< those of the subject
    std::size_t operations_ = 0;
    std::size_t target_ = 0;
    std::size_t last_ = 0; ///< index of the last allocated block, valid if its stamp is `last_stamp_`
    std::uint64_t last_stamp_ = 0;
    std::size_t bytes_since_release_ = 0;
    std::size_t restored_bytes_ = 0; ///< by rollbacks, of blocks that were deallocated before
    bool may_fail_ = false;          ///< by the failure plan of the upstream
    bool full_ = false;
};

/// Returns: a shortest part of the bytes, and small ones, for which `still_fails(bytes)`.
/// Requires: it fails for `bytes`.
/// Source: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (2002), delta debugging.
[[nodiscard]] std::vector<std::uint8_t>
shrink(std::vector<std::uint8_t> bytes,
       const std::function<bool(std::span<const std::uint8_t>)>& still_fails);

/// Returns: bytes that depend on the seed alone.
[[nodiscard]] std::vector<std::uint8_t> random_bytes(std::uint64_t seed, std::size_t count);

} // namespace model
