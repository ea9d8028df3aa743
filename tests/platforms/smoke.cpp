/// The parts of the library that need the system, in one program that runs without a test framework: pages, ranges of
/// addresses, chunks, pools of threads and the end of a thread. Its last line is "N checks, 0 failed".
#include <mallard/impl/space/reserved_range.hpp>
#include <mallard/mallard.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <vector>
#if MALLARD_THREADS
#include <thread>
#endif

namespace {

int checks = 0;
int failed = 0;

void expect(bool passed, const char* what, int line) {
    ++checks;
    if (!passed) {
        ++failed;
        std::printf("line %d failed: %s\n", line, what);
    }
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

/// Allocates and frees blocks of up to 700 bytes in no order. A block that another one overlaps loses its mark.
/// Returns: the number of damaged blocks.
template <class A>
int churn(A& allocator) {
    struct block {
        unsigned char* p = nullptr;
        std::size_t bytes = 0;
    };
    std::array<block, 400> blocks;
    int damaged = 0;
    std::uint32_t random = 7;
    for (int turn = 0; turn != 8000; ++turn) {
        random = random * 1664525U + 1013904223U;
        const std::size_t i = (random >> 8) % blocks.size();
        block& b = blocks[i];
        const auto mark = static_cast<unsigned char>(i);
        if (b.p != nullptr) {
            damaged += static_cast<int>(b.p[0] != mark || b.p[b.bytes - 1] != mark);
            allocator.deallocate(b.p, b.bytes, 8);
            b.p = nullptr;
            continue;
        }
        b.bytes = 1 + (random >> 20) % 700;
        b.p = static_cast<unsigned char*>(allocator.allocate(b.bytes, 8));
        damaged += static_cast<int>(!mallard::core::is_aligned(b.p, 8));
        std::memset(b.p, mark, b.bytes);
    }
    for (const block& b : blocks) {
        if (b.p != nullptr) {
            allocator.deallocate(b.p, b.bytes, 8);
        }
    }
    return damaged;
}

/// Returns: the number of elements of a list that are wrong.
template <class List>
int fill(List list) {
    int wrong = 0;
    for (int i = 0; i != 2000; ++i) {
        list.push_back(i);
    }
    int expected = 0;
    for (const int n : list) {
        wrong += static_cast<int>(n != expected++);
    }
    return wrong;
}

struct own_tag : mallard::per_thread<own_tag, mallard::multipool<>> {};
struct common_tag : mallard::shared_by_threads<common_tag, mallard::synchronized<mallard::multipool<>>> {};

struct node : mallard::pooled<node> {
    explicit node(int n) : number(n) {}
    int number;
};

/// Every mechanism; on any thread.
/// Returns: the number of errors.
int use_mechanisms() {
    int errors = 0;
    {
        mallard::multipool<> pool;
        errors += churn(pool);
    }
    {
        mallard::multipool<mallard::new_delete, mallard::first_freed, mallard::power_of_two_classes> pool;
        errors += churn(pool);
    }
    {
        mallard::heap<> heap;
        errors += churn(heap);
    }
    {
        mallard::monotonic<> region;
        errors += churn(region);
    }
    {
        mallard::adaptive_pool<> pool;
        errors += fill(std::list<int, mallard::allocator<int, mallard::adaptive_pool<>>>(pool));
    }
    {
        mallard::small_object_pool<> pool;
        errors += churn(pool);
    }
    {
        mallard::fixed_pool<> pool;
        errors += fill(std::list<int, mallard::allocator<int, mallard::fixed_pool<>>>(pool));
    }
    errors += fill(std::list<int, mallard::static_allocator<int, own_tag>>());
    errors += fill(std::list<int, mallard::static_allocator<int, common_tag>>());
    {
        const node* const n = new node(3);
        errors += static_cast<int>(n->number != 3);
        delete n;
    }
    return errors;
}

void check_pages() {
    mallard::pages pages;
    const std::size_t page = mallard::pages::page_bytes();
    EXPECT(mallard::is_power_of_two(page) && page >= 4096);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20}) {
        for (const std::size_t alignment : {std::size_t{16}, std::size_t{1} << 17}) {
            auto* const p = static_cast<unsigned char*>(pages.allocate(bytes, alignment));
            EXPECT(mallard::core::is_aligned(p, alignment));
            EXPECT(p[0] == 0 && p[bytes - 1] == 0);
            p[bytes - 1] = 1;
            pages.offer(p, bytes, alignment);
            pages.deallocate(p, bytes, alignment);
        }
    }
    EXPECT(pages.try_allocate(SIZE_MAX / 2) == nullptr);
    mallard::pages touched({.prefault = true});
    void* const p = touched.allocate(3 * page);
    EXPECT(static_cast<char*>(p)[2 * page] == 0);
    touched.deallocate(p, 3 * page);
}

void check_ranges() {
    namespace range = mallard::space::reserved_range;
    constexpr std::size_t bytes = std::size_t{8} << 20;
    std::byte* const begin = range::reserve(bytes);
    if (begin == nullptr) {
        std::printf("no addresses without memory\n");
        return;
    }
    const std::size_t first = range::rounded(begin, 10000);
    EXPECT(first >= 10000 && first % mallard::pages::page_bytes() == 0);
    EXPECT(range::commit(begin, 0, first));
    std::memset(begin, 1, first);
    const std::size_t second = range::rounded(begin, 400000);
    EXPECT(range::commit(begin, first, second));
    EXPECT(begin[second - 1] == std::byte{0} && begin[first - 1] == std::byte{1});
    EXPECT(range::decommit(begin, second, first));
    EXPECT(range::commit(begin, first, second));
    EXPECT(begin[first] == std::byte{0});
    const bool shorter = range::shorten(begin, bytes, second);
    range::give_back(begin, shorter ? second : bytes);
    EXPECT(range::count() == 0);
}

void check_large_blocks() {
    mallard::heap<> heap;
    std::vector<std::uint32_t, mallard::allocator<std::uint32_t, mallard::heap<>>> numbers(heap);
    constexpr std::uint32_t count = sizeof(void*) == 4 ? 200000 : 2000000;
    for (std::uint32_t i = 0; i != count; ++i) {
        numbers.push_back(i);
    }
    bool in_order = true;
    for (std::uint32_t i = 0; i != count; ++i) {
        in_order = in_order && numbers[i] == i;
    }
    EXPECT(in_order);
}

void check_fixed_memory() {
    alignas(64) static std::byte memory[1 << 18];
    auto& heap = mallard::region_heap::create_in(memory);
    EXPECT(churn(heap) == 0);
    heap.release();
    mallard::buffer buffer{memory};
    mallard::multipool<mallard::buffer> pool{buffer};
    EXPECT(churn(pool) == 0);

    alignas(64) std::byte stack[4096];
    mallard::resource<mallard::monotonic<>> request{stack};
    auto& words = mallard::wink_out<std::pmr::vector<std::pmr::string>>(request);
    for (int i = 0; i != 500; ++i) {
        words.emplace_back("a string that is longer than the small buffer");
    }
    EXPECT(words.size() == 500 && words[499].size() == 45);
}

void check_bursts() {
    mallard::multipool<> pool;
    mallard::block_chain chain = pool.allocate_many(24, 8, 300);
    EXPECT(chain.size() == 300);
    std::size_t aligned = 0;
    chain.for_each([&](void* p) { aligned += static_cast<std::size_t>(mallard::core::is_aligned(p, 8)); });
    EXPECT(aligned == 300);
    pool.deallocate_many(std::move(chain), 24, 8);
}

#if MALLARD_THREADS
int pools_ended = 0;

/// Counts its ends, after the thread_local objects that use it.
struct counted_pool : mallard::multipool<> {
    ~counted_pool() { ++pools_ended; }
};
struct counted_tag : mallard::per_thread<counted_tag, counted_pool> {};

int pools_ended_too_early = 0;

struct user_of_pool {
    std::list<int, mallard::static_allocator<int, counted_tag>> list;
    int ended_before = pools_ended;
    ~user_of_pool() {
        list.clear();
        pools_ended_too_early += static_cast<int>(pools_ended != ended_before);
    }
};

void check_threads() {
    mallard::concurrent_multipool<> pool;
    std::array<int, 4> errors{};
    {
        std::vector<std::thread> threads;
        for (int& count : errors) {
            threads.emplace_back([&pool, &count] {
                count = use_mechanisms() + churn(pool);
                using element = std::pair<const int, int>;
                std::map<int, int, std::less<>, mallard::allocator<element, mallard::concurrent_multipool<>>>
                    map(pool);
                for (int i = 0; i != 5000; ++i) {
                    map[i % 700] += i;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    EXPECT(errors == (std::array<int, 4>{}));
    for (int i = 0; i != 20; ++i) {
        std::thread([] {
            thread_local user_of_pool user;
            user.list.push_back(1);
        }).join();
    }
    EXPECT(pools_ended_too_early == 0);
    EXPECT(pools_ended == 20);
}
#else
void check_threads() {
    mallard::concurrent_multipool<> pool;
    EXPECT(churn(pool) == 0);
}
#endif

void check_failures() {
#ifdef __cpp_exceptions
    bool is_bad_alloc = false;
    try {
        static_cast<void>(mallard::pages().allocate(SIZE_MAX / 2));
    } catch (const std::bad_alloc&) {
        is_bad_alloc = true;
    }
    EXPECT(is_bad_alloc);
    bool is_refused = false;
    try {
        mallard::fixed_pool<> pool(mallard::block_size{16, 8});
        static_cast<void>(pool.allocate(100, 8));
    } catch (const mallard::refused_request& refused) {
        is_refused = std::strstr(refused.what(), "refused") != nullptr;
    }
    EXPECT(is_refused);
#endif
    mallard::heap<> heap;
    EXPECT(heap.try_allocate(SIZE_MAX / 4, 8) == nullptr);
}

} // namespace

int main() {
    std::printf("%d bits, %s-endian, pages of %d KiB, alignment %d, %s\n",
                static_cast<int>(8 * sizeof(void*)),
                std::endian::native == std::endian::little ? "little" : "big",
                static_cast<int>(mallard::pages::page_bytes() >> 10),
                static_cast<int>(mallard::fundamental_alignment), MALLARD_THREADS ? "threads" : "one thread");
    MALLARD_SCOPE("smoke");
    check_pages();
    check_ranges();
    EXPECT(use_mechanisms() == 0);
    check_large_blocks();
    check_fixed_memory();
    check_bursts();
    check_threads();
    check_failures();
    MALLARD_PROGRESS("smoke");
    mallard::chunk_cache::trim();
    EXPECT(mallard::chunk_cache::stats().shared_bytes == 0);
    std::printf("%d checks, %d failed\n", checks, failed);
    return failed == 0 ? 0 : 1;
}
