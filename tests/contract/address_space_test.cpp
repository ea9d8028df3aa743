// A process with bounded address space (RLIMIT_AS): every upstream, and allocators over it, report exhaustion by
// std::bad_alloc, and serve requests again after a deallocation. Each test runs in a child process.
#include "equipment/out_of_memory.hpp"
#include "process/child.hpp"

#include <mallard/core/sanitizer.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <new>
#include <utility>
#include <vector>

#ifdef __cpp_exceptions

namespace {

constexpr std::size_t room_bytes = std::size_t{96} << 20;

/// The result of the child process, as its exit status.
enum verdict : int {
    good,
    no_limit,          ///< the system does not support the limit
    nothing_to_be_had, ///< too few requests succeeded
    no_end,            ///< more requests succeeded than the limit allows
    not_served_again,
};

/// Effects: bounds the address space of this process to its present size and room_bytes.
/// Returns: true if that was possible.
bool bound_address_space() {
    std::size_t pages_in_use = 0;
    std::ifstream("/proc/self/statm") >> pages_in_use;
    const rlim_t most = pages_in_use * mallard::pages::page_bytes() + room_bytes;
    const rlimit limit{most, most};
    return pages_in_use != 0 && setrlimit(RLIMIT_AS, &limit) == 0;
}

/// Effects: lets the run-time library and a sanitizer allocate the memory that the first exception needs, and the chunk cache
/// that of its bins.
void take_first_memory() {
    mallard::chunk_cache::deallocate(mallard::chunk_cache::allocate(1), 1);
    mallard::chunk_cache::trim();
    try {
        mallard::core::fail_allocation(1, 1);
    } catch (const std::bad_alloc&) {
        return;
    }
}

/// Returns: a new block, after writing to its first and last byte.
template <class A>
void* take(A& a, std::size_t bytes) {
    auto* const p = static_cast<std::byte*>(a.allocate(bytes, 16));
    p[0] = p[bytes - 1] = std::byte{1};
    return p;
}

/// Effects: twice, allocates blocks of `bytes` bytes until memory is exhausted, frees every other block, and allocates
/// as many again.
template <class A>
verdict take_all(A& a, std::size_t bytes) {
    const std::size_t most_blocks = 2 * room_bytes / bytes;
    std::vector<void*> all;
    all.reserve(most_blocks);
    for (int round = 0; round != 2; ++round) {
        try {
            while (all.size() != most_blocks) {
                all.push_back(take(a, bytes));
            }
            return no_end;
        } catch (const std::bad_alloc&) {
            if (all.size() < 4) {
                return nothing_to_be_had;
            }
        }
        std::size_t freed = 0;
        for (std::size_t i = 0; i < all.size(); i += 2, ++freed) {
            a.deallocate(std::exchange(all[i], nullptr), bytes, 16);
        }
        // Reserved addresses of large blocks count too, so that a heap has fewer the second time.
        freed = mallard::expandable<A> ? (freed + 3) / 4 : freed;
        std::erase(all, nullptr);
        try {
            for (; freed != 0; --freed) {
                all.push_back(take(a, bytes));
            }
        } catch (const std::bad_alloc&) {
            return not_served_again;
        }
        for (void* p : all) {
            a.deallocate(p, bytes, 16);
        }
        all.clear();
    }
    return good;
}

/// Effects: runs `act` in a child process with bounded address space.
/// Returns: its verdict, or that the child crashed or hung.
template <class Act>
process::ending in_a_process(Act act) {
    return process::run_in_child([&act] {
        take_first_memory();
        return bound_address_space() ? act() : no_limit;
    });
}

constexpr process::ending survives = {.status = good, .signal = 0};

const std::size_t sizes[] = {std::size_t{1} << 20, std::size_t{300} << 10, std::size_t{8} << 20};

template <class A>
void expect_to_survive() {
    for (const std::size_t bytes : sizes) {
        EXPECT_EQ(in_a_process([bytes]() -> int {
                      A a;
                      return take_all(a, bytes);
                  }),
                  survives)
            << "blocks of " << bytes << " bytes";
    }
}

TEST(address_space, ends_for_pages) {
    expect_to_survive<mallard::pages>();
}

TEST(address_space, ends_for_the_chunk_cache) {
    expect_to_survive<mallard::chunk_cache>();
}

#ifndef MALLARD_ASAN // its operator new aborts when out of memory
TEST(address_space, ends_for_operator_new) {
    expect_to_survive<mallard::new_delete>();
}
#endif

TEST(address_space, ends_for_a_multipool) {
    expect_to_survive<mallard::multipool<>>();
}

TEST(address_space, ends_for_a_small_object_pool) {
    expect_to_survive<mallard::small_object_pool<>>();
}

TEST(address_space, ends_for_an_adaptive_pool) {
    expect_to_survive<mallard::adaptive_pool<>>();
}

TEST(address_space, ends_for_a_concurrent_multipool) {
    expect_to_survive<mallard::concurrent_multipool<>>();
}

TEST(address_space, ends_for_a_heap) {
    expect_to_survive<mallard::heap<>>();
}

/// A monotonic allocator frees nothing before release(), so it is released instead.
TEST(address_space, ends_for_a_monotonic_until_it_is_released) {
    EXPECT_EQ(in_a_process([]() -> int {
                  mallard::monotonic<> arena;
                  for (int round = 0; round != 3; ++round) {
                      std::size_t had = 0;
                      try {
                          while (had <= 2 * room_bytes) {
                              static_cast<void>(take(arena, std::size_t{256} << 10));
                              had += std::size_t{256} << 10;
                          }
                          return no_end;
                      } catch (const std::bad_alloc&) {
                          if (had < room_bytes / 4) {
                              return round == 0 ? nothing_to_be_had : not_served_again;
                          }
                      }
                      arena.release();
                      mallard::chunk_cache::trim();
                  }
                  return good;
              }),
              survives);
}

/// Small blocks, which the pools take in chunks.
template <class Pool>
void expect_small_blocks_to_survive() {
    if constexpr (mallard::core::poisons_memory) {
        GTEST_SKIP()
            << "AddressSanitizer serves the last, small chunks from addresses that it reserved before";
    }
    EXPECT_EQ(in_a_process([]() -> int {
                  Pool pool;
                  std::vector<void*> all;
                  all.reserve(2 * room_bytes / 1024);
                  for (int round = 0; round != 2; ++round) {
                      try {
                          while (all.size() != all.capacity()) {
                              all.push_back(take(pool, 1024));
                          }
                          return no_end;
                      } catch (const std::bad_alloc&) {
                          if (all.size() < 10'000) {
                              return round == 0 ? nothing_to_be_had : not_served_again;
                          }
                      }
                      for (void* p : all) {
                          pool.deallocate(p, 1024, 16);
                      }
                      all.clear();
                  }
                  return good;
              }),
              survives);
}

TEST(address_space, ends_for_the_chunks_of_a_multipool) {
    expect_small_blocks_to_survive<mallard::multipool<>>();
}

TEST(address_space, ends_for_the_chunks_of_a_fixed_pool) {
    expect_small_blocks_to_survive<mallard::fixed_pool<>>();
}

TEST(address_space, ends_for_the_chunks_of_an_adaptive_pool) {
    expect_small_blocks_to_survive<mallard::adaptive_pool<>>();
}

} // namespace

#endif
