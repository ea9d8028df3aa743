/// The interface of bdlma that the benchmark uses, so that its strategies compile and run where no BDE is installed.
///
/// As in BDE, an allocation has a size and no alignment: a block is aligned to its size's largest factor of two, up to 16.
/// Monotonic ones start over at a release, multipools keep a list of free blocks for each power of two.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

namespace BloombergLP::bslma {

class Allocator : public std::pmr::memory_resource {
public:
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void deallocate(void* p) = 0;

protected:
    void* do_allocate(std::size_t bytes, std::size_t) override { return allocate(bytes); }
    void do_deallocate(void* p, std::size_t, std::size_t) override { deallocate(p); }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }
};

class NewDeleteAllocator : public Allocator {
public:
    void* allocate(std::size_t bytes) override { return ::operator new(bytes); }
    void deallocate(void* p) override { ::operator delete(p); }

    static NewDeleteAllocator* singleton() {
        static NewDeleteAllocator instance;
        return &instance;
    }
};

} // namespace BloombergLP::bslma

namespace BloombergLP::bdlma {

inline constexpr std::size_t most_alignment = 16;

/// Returns: the largest factor of two, up to 16.
inline std::size_t natural_alignment(std::size_t bytes) {
    return std::size_t{1} << std::countr_zero(bytes | most_alignment);
}

class ManagedAllocator : public bslma::Allocator {
public:
    virtual void release() = 0;
};

/// Chunks in a list, from an allocator.
class Chunks {
public:
    explicit Chunks(bslma::Allocator* upstream)
        : upstream_(upstream != nullptr ? upstream : bslma::NewDeleteAllocator::singleton()) {}
    Chunks(const Chunks&) = delete;
    Chunks& operator=(const Chunks&) = delete;
    ~Chunks() { release(); }

    std::byte* allocate(std::size_t bytes) {
        // A size with 16 as a factor, so that a monotonic upstream aligns it.
        const std::size_t whole =
            (sizeof(Link) + bytes + most_alignment - 1) / most_alignment * most_alignment;
        last_ = ::new (upstream_->allocate(whole)) Link{last_};
        return reinterpret_cast<std::byte*>(last_ + 1);
    }

    void release() {
        while (last_ != nullptr) {
            Link* const freed = last_;
            last_ = freed->next;
            upstream_->deallocate(freed);
        }
    }

private:
    struct alignas(most_alignment) Link {
        Link* next;
    };

    bslma::Allocator* upstream_;
    Link* last_ = nullptr;
};

class SequentialPool {
public:
    explicit SequentialPool(bslma::Allocator* upstream = nullptr) : chunks_(upstream) {}

    void* allocate(std::size_t bytes) {
        const std::size_t alignment = natural_alignment(bytes);
        std::size_t padding = -reinterpret_cast<std::uintptr_t>(free_) % alignment;
        if (padding + bytes > left_) {
            left_ = size_ = 2 * (size_ > bytes ? size_ : bytes);
            free_ = chunks_.allocate(left_);
            padding = 0;
        }
        std::byte* const block = free_ + padding;
        free_ = block + bytes;
        left_ -= padding + bytes;
        return block;
    }

    void release() {
        chunks_.release();
        free_ = nullptr;
        left_ = 0;
        size_ = 128;
    }

protected:
    void begin_in(char* buffer, std::size_t bytes) {
        free_ = reinterpret_cast<std::byte*>(buffer);
        left_ = bytes;
    }

private:
    Chunks chunks_;
    std::byte* free_ = nullptr;
    std::size_t left_ = 0;
    std::size_t size_ = 128;
};

class BufferedSequentialPool : public SequentialPool {
public:
    BufferedSequentialPool(char* buffer, std::size_t bytes, bslma::Allocator* upstream = nullptr)
        : SequentialPool(upstream), buffer_(buffer), bytes_(bytes) {
        begin_in(buffer, bytes);
    }

    void release() {
        SequentialPool::release();
        begin_in(buffer_, bytes_);
    }

private:
    char* buffer_;
    std::size_t bytes_;
};

class Multipool {
public:
    explicit Multipool(bslma::Allocator* upstream = nullptr) : chunks_(upstream) {}

    void* allocate(std::size_t bytes) {
        const auto pool = static_cast<std::size_t>(std::bit_width(bytes));
        Header*& list = free_[pool];
        Header* header = list;
        if (header != nullptr) {
            list = header->next;
        } else {
            header = ::new (chunks_.allocate(sizeof(Header) + (std::size_t{1} << pool))) Header{};
        }
        header->pool = pool;
        return header + 1;
    }

    void deallocate(void* p) {
        Header* const header = static_cast<Header*>(p) - 1;
        Header*& list = free_[header->pool];
        header->next = list;
        list = header;
    }

    void release() {
        chunks_.release();
        for (Header*& list : free_) {
            list = nullptr;
        }
    }

private:
    union alignas(most_alignment) Header {
        Header* next;
        std::size_t pool;
    };

    Chunks chunks_;
    Header* free_[64] = {};
};

/// A pool without frees, behind the base.
template <class Pool>
class MonotonicAllocator : public ManagedAllocator {
public:
    void* allocate(std::size_t bytes) override { return pool_.allocate(bytes); }
    void deallocate(void*) override {}
    void release() override { pool_.release(); }

protected:
    template <class... Args>
    explicit MonotonicAllocator(Args... args) : pool_(args...) {}

private:
    Pool pool_;
};

class SequentialAllocator : public MonotonicAllocator<SequentialPool> {
public:
    explicit SequentialAllocator(bslma::Allocator* upstream = nullptr) : MonotonicAllocator(upstream) {}
};

class BufferedSequentialAllocator : public MonotonicAllocator<BufferedSequentialPool> {
public:
    BufferedSequentialAllocator(char* buffer, std::size_t bytes, bslma::Allocator* upstream = nullptr)
        : MonotonicAllocator(buffer, bytes, upstream) {}
};

class MultipoolAllocator : public ManagedAllocator {
public:
    explicit MultipoolAllocator(bslma::Allocator* upstream = nullptr) : pool_(upstream) {}

    void* allocate(std::size_t bytes) override { return pool_.allocate(bytes); }
    void deallocate(void* p) override { pool_.deallocate(p); }
    void release() override { pool_.release(); }

private:
    Multipool pool_;
};

} // namespace BloombergLP::bdlma
