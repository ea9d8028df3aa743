// memcheck CASE: a program without misuse, or with one that memcheck must report.
#include <mallard/mallard.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

static_assert(mallard::core::poisons_memory);

namespace {

/// Blocks of many sizes that come and go, written and read to their last byte.
template <class A>
unsigned use(A& a, std::size_t most_bytes) {
    struct block {
        unsigned char* p;
        std::size_t bytes;
    };
    std::vector<block> blocks;
    unsigned sum = 0;
    unsigned random = 1;
    for (int i = 0; i != 3000; ++i) {
        random = random * 1103515245 + 12345;
        const std::size_t bytes = 1 + (random >> 8) % most_bytes;
        if ((random >> 4) % 3 == 0 && !blocks.empty()) {
            const std::size_t index = (random >> 8) % blocks.size();
            sum += blocks[index].p[blocks[index].bytes - 1];
            a.deallocate(blocks[index].p, blocks[index].bytes, 8);
            blocks[index] = blocks.back();
            blocks.pop_back();
        } else {
            auto* const p = static_cast<unsigned char*>(a.allocate(bytes, 8));
            std::memset(p, static_cast<int>(bytes % 251), bytes);
            blocks.push_back({p, bytes});
        }
    }
    for (const block& b : blocks) {
        sum += b.p[0];
        a.deallocate(b.p, b.bytes, 8);
    }
    return sum;
}

template <class A>
unsigned use_and_tidy(A& a, std::size_t most_bytes) {
    unsigned sum = use(a, most_bytes);
    if constexpr (requires { a.tidy(); }) {
        a.tidy();
        sum += use(a, most_bytes);
    }
    a.release();
    return sum + use(a, most_bytes);
}

unsigned use_all() {
    unsigned sum = 0;
    {
        mallard::monotonic<> arena;
        sum += use_and_tidy(arena, 300);
        for (int i = 0; i != 5; ++i) {
            const mallard::checkpoint end(arena);
            sum += use(arena, 2000);
        }
        arena.rewind();
        sum += use(arena, 2000);
        auto* const p = static_cast<char*>(arena.allocate(20, 8));
        std::strcpy(p, "keeps its contents");
        static_cast<void>(arena.resize_last(p, 20, 1000));
        sum += static_cast<unsigned>(std::strlen(p));
        mallard::monotonic<> other;
        sum += use(other, 300);
        static_cast<void>(arena.adopt(other));
    }
    mallard::multipool<> pool;
    sum += use_and_tidy(pool, 40'000);
    mallard::shrinking_multipool<> shrinking;
    sum += use_and_tidy(shrinking, 3000);
    mallard::fast_fit<mallard::new_delete, mallard::last_freed> fast;
    sum += use_and_tidy(fast, 3000);
    mallard::fixed_pool<> fixed(mallard::block_size{.bytes = 64});
    sum += use_and_tidy(fixed, 64);
    mallard::small_object_pool<> small;
    sum += use_and_tidy(small, 100);
    mallard::adaptive_pool<> nodes(mallard::block_size{.bytes = 100});
    sum += use_and_tidy(nodes, 100);
    mallard::heap<> heap;
    sum += use_and_tidy(heap, 3000);
    mallard::pages source;
    mallard::heap<mallard::pages> mapped(source);
    sum += use_and_tidy(mapped, 100'000);
    mallard::checked<mallard::multipool<>> checked;
    sum += use_and_tidy(checked, 300);
    mallard::concurrent_monotonic<> shared_arena;
    mallard::concurrent_multipool<> shared;
    std::thread other([&] {
        use(shared, 300);
        use(shared_arena, 300);
    });
    sum += use(shared, 300) + use(shared_arena, 300);
    other.join();
    mallard::resource<mallard::multipool<>> resource;
    std::pmr::map<int, std::pmr::string> names(&resource);
    for (int i = 0; i != 300; ++i) {
        names.emplace(i, std::pmr::string(static_cast<std::size_t>(i), 'x'));
    }
    std::erase_if(names, [](const auto& name) { return name.first % 2 == 0; });
    return sum + static_cast<unsigned>(names.size());
}

template <class A>
void write_after_free(A&& a) {
    auto* const p = static_cast<volatile char*>(a.allocate(24, 8));
    p[0] = 'x';
    a.deallocate(const_cast<char*>(p), 24, 8);
    p[16] = 'x';
}

template <class A>
void read_behind(A&& a) {
    auto* const p = static_cast<volatile char*>(a.allocate(20, 4));
    static_cast<void>(p[20]);
}

void read_after_rewind() {
    mallard::monotonic<> arena;
    auto* const p = static_cast<volatile char*>(arena.allocate(24, 8));
    arena.rewind();
    static_cast<void>(p[8]);
}

void free_twice() {
    mallard::multipool<> pool;
    void* const p = pool.allocate(24, 8);
    static_cast<void>(pool.allocate(24, 8));
    pool.deallocate(p, 24, 8);
    pool.deallocate(p, 24, 8);
}

} // namespace

int main(int, char** arguments) {
    const std::string name = arguments[1];
    if (name == "nothing") {
        std::printf("%u\n", use_all());
    } else if (name == "write after free, multipool") {
        write_after_free(mallard::multipool<>());
    } else if (name == "write after free, heap") {
        write_after_free(mallard::heap<>());
    } else if (name == "read behind, multipool") {
        read_behind(mallard::multipool<>());
    } else if (name == "read behind, monotonic") {
        read_behind(mallard::monotonic<>());
    } else if (name == "read after rewind") {
        read_after_rewind();
    } else if (name == "free twice") {
        free_twice();
    } else {
        return 2;
    }
    return 0;
}
