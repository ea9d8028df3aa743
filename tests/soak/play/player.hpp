/// Runs random operations on an allocator and compares the results with its shadow.
///
///     random numbers -> requests -> operation -> the subject  -> valid? and equal to the shadow?
///                                             -> the shadow (live_blocks.hpp)
///
/// Data model: a single player uses the subject, or several do, each in its thread with its own shadow. Several players
/// exchange blocks through a mailbox, and never release the subject.
/// The number of live blocks follows a target that changes at random, so that the allocator fills and empties in waves.
#pragma once

#include "soak/play/live_blocks.hpp"
#include "soak/play/mailbox.hpp"
#include "soak/play/random_numbers.hpp"
#include "soak/play/requests.hpp"
#include "soak/play/subject.hpp"

#include <mallard/core/block_chain.hpp>
#include <mallard/core/expansion.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace soak {

class player {
public:
    /// `others`: the mailbox shared with players in other threads, or null.
    player(subject& s, const bounds& most, std::uint64_t seed, mailbox* others);

    /// Effects: runs `operations` operations. Stops at the first fault, and when a subject without reuse is full.
    void play(std::size_t operations);

    /// Effects: looks at all blocks and deallocates them.
    void free_all();

    /// Effects: looks at all blocks and releases the subject.
    void release();

    [[nodiscard]] std::size_t operations() const noexcept { return operations_; }
    [[nodiscard]] bool is_full() const noexcept { return full_; }

    /// Returns: the fault and its operation; empty if there was none.
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

private:
    void step();
    void special(std::size_t choice);

    void allocate();
    void free_block(std::size_t i);
    void burst();
    void mixed_burst();
    void remember(mallard::block_chain&& blocks, std::size_t bytes, std::size_t alignment);
    void free_burst();
    void change_size();
    void resize_last();
    void ask_the_impossible();
    void make_upstream_fail();
    void mark();
    void roll_back();
    void exchange();
    void look_at_all();

    [[nodiscard]] std::size_t room_for_blocks() const noexcept;
    void refused(const char* doing);
    void expect(const char* wrong, const char* doing);

    subject& subject_;
    const bounds& most_;
    abilities able_;
    random_numbers random_;
    requests requests_;
    mailbox* others_;
    live_blocks blocks_;
    std::vector<std::uint64_t> marks_; ///< the mark of the first block after each of the subject's
    std::size_t operations_ = 0;
    std::size_t target_ = 0;
    std::size_t last_ = 0; ///< index of the last allocated block, valid if its mark is `last_mark_`
    std::uint64_t last_mark_ = 0;
    std::size_t bytes_since_release_ = 0;
    bool may_fail_ = false; ///< by the failure plan of the upstream
    bool full_ = false;
    std::string fault_;
};

} // namespace soak
