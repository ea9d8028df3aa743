/// The first fault and the operations that led to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace model {

class findings {
public:
    /// Effects: records the fault if it is the first. Null is no fault.
    void expect(const char* wrong) noexcept { wrong_ = wrong_ == nullptr ? wrong : wrong_; }

    [[nodiscard]] bool nothing() const noexcept { return wrong_ == nullptr; }
    [[nodiscard]] std::size_t operations() const noexcept { return done_; }

    /// Effects: records an operation. `operation` must be a literal.
    void note(const char* operation, std::size_t a = 0, std::size_t b = 0, std::size_t c = 0) noexcept {
        steps_[done_++ % steps_.size()] = {operation, a, b, c};
    }

    /// Returns: the distance of an address from the first one, which is equal in every run.
    [[nodiscard]] std::size_t offset(const void* p) noexcept {
        if (origin_ == nullptr) {
            origin_ = p;
        }
        return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(origin_);
    }

    /// Returns: the fault and the operations before it, or an empty string.
    [[nodiscard]] std::string report() const {
        if (nothing()) {
            return {};
        }
        std::string text =
            std::string(wrong_) + " at operation " + std::to_string(done_ - 1) + "; the last were\n";
        for (std::size_t i = done_ - std::min(done_, steps_.size()); i != done_; ++i) {
            const step& s = steps_[i % steps_.size()];
            std::array<char, 128> line{};
            std::snprintf(line.data(), line.size(), "    %zu: %s %zd %zu %zu\n", i, s.operation,
                          static_cast<std::ptrdiff_t>(s.a), s.b, s.c);
            text += line.data();
        }
        return text;
    }

private:
    struct step {
        const char* operation;
        std::size_t a;
        std::size_t b;
        std::size_t c;
    };

    const char* wrong_ = nullptr;
    const void* origin_ = nullptr;
    std::size_t done_ = 0;
    std::array<step, 16> steps_{};
};

} // namespace model
