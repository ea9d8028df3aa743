#include "model/turn.hpp"

#include "equipment/ledger.hpp"
#include "equipment/run_in_threads.hpp"

#include <mallard/core/sanitizer.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#ifdef MALLARD_ASAN
extern "C" const char* __asan_default_options();

// Oversized requests must fail under AddressSanitizer too.
extern "C" const char* __asan_default_options() {
    return "allocator_may_return_null=1";
}
#endif

namespace model {

namespace {

constexpr int threads = 4;
constexpr std::size_t lives_of_threads = 3;          ///< a player goes on in another thread after each
constexpr std::size_t operations_of_a_turn = 50'000; ///< of a kind that is not slow

/// Effects: frees all blocks, or leaves some to a release. The tail of a buffer is free again only after one.
outcome end_play(player& one, subject& s, bool release) {
    s.fail({.at = 0});
    if (one.succeeded()) {
        release ? one.release() : one.free_all();
    }
    return {one.operations(), one.fault()};
}

outcome play_in_threads(const kind& k, subject& s, random_source& random, std::size_t operations) {
    bounds shared = k.most;
    shared.live_blocks /= threads;
    shared.live_bytes /= threads;
    shared.release_bytes /= 2 * threads;
    mailbox blocks;
    std::vector<std::unique_ptr<player>> players;
    for (std::size_t i = 0; i != threads; ++i) {
        players.push_back(std::make_unique<player>(s, shared, random_source(random.next()), fast, &blocks));
    }
    std::size_t remaining = operations;
    for (std::size_t life = lives_of_threads; life != 0; --life) {
        std::vector<std::size_t> shares;
        for (std::size_t i = 0; i != threads; ++i) {
            shares.push_back(remaining / (life * threads - i));
            remaining -= shares.back();
        }
        equipment::run_in_threads(threads, [&players, &shares](int id) {
            const auto i = static_cast<std::size_t>(id);
            players[i]->play(shares[i]);
        });
    }
    outcome all;
    for (const auto& p : players) {
        p->free_all();
        all.operations += p->operations();
        all.fault = all.fault.empty() ? p->fault() : all.fault;
    }
    while (const auto b = blocks.take()) {
        s.deallocate(b->p, b->bytes, b->alignment);
    }
    return all;
}

/// Effects: makes a subject on a ledger, calls `play(subject)`, and looks at the ledger at its end.
template <class Play>
outcome play_on_ledger(const kind& k, Play play) {
    equipment::ledger source;
    outcome done;
    {
        const std::unique_ptr<subject> s = k.make(source);
        done = play(*s);
        if (!done.fault.empty()) {
            s->release();
        }
    }
    if (done.fault.empty() && !source.complaints().empty()) {
        done.fault = "at the end: " + source.complaints().front();
    }
    if (done.fault.empty() && source.outstanding() != 0) {
        done.fault = "at the end: " + std::to_string(source.outstanding_bytes()) + " bytes did not come back";
    }
    return done;
}

} // namespace

outcome play_turn(const kind& k, std::uint64_t seed, std::size_t most_operations) {
    random_source random(mixed(seed));
    const std::size_t operations =
        std::min(most_operations, std::max<std::size_t>(operations_of_a_turn / k.most.slowness, 1));
    return play_on_ledger(k, [&](subject& s) {
        // Threads that cannot release it soon use up memory that is never reused.
        if (s.able().threads && k.most.uses_again && random.one_in(2)) {
            return play_in_threads(k, s, random, operations);
        }
        player one(s, k.most, random_source(random.next()), fast);
        one.play(operations);
        return end_play(one, s, s.able().releases && random.one_in(2));
    });
}

outcome play_bytes(const kind& k, std::span<const std::uint8_t> bytes, const pace& speed, bool releases) {
    return play_on_ledger(k, [&](subject& s) {
        player one(s, k.most, random_source(bytes), speed);
        if (!releases) {
            one.keep_memory();
        }
        one.play(std::numeric_limits<std::size_t>::max());
        const bool release = releases && s.able().releases && one.operations() % 2 == 0;
        return end_play(one, s, release);
    });
}

} // namespace model
