// Shared libraries with allocators that a program loads, uses from several threads, and unloads, in every order. Not under
// ThreadSanitizer, which limits a thread to 64 locks; a forking thread holds more if so many copies are loaded.
#include "process/child.hpp"

#include <mallard/mallard.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#ifndef __SANITIZE_THREAD__

namespace {

constexpr std::size_t copies = 20;

using use_function = int (*)(void*);

/// One of many copies of the library, which the system loads as distinct libraries.
class plug_in {
public:
    explicit plug_in(std::size_t number) {
        const std::string name =
            std::filesystem::temp_directory_path() /
            ("mallard_plug_in_" + std::to_string(getpid()) + "_" + std::to_string(number));
        std::filesystem::copy_file(MALLARD_PLUG_IN, name, std::filesystem::copy_options::overwrite_existing);
        loaded_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        EXPECT_NE(loaded_, nullptr) << dlerror();
        std::filesystem::remove(name);
        if (loaded_ != nullptr) {
            use_ = reinterpret_cast<use_function>(dlsym(loaded_, "use_plug_in"));
            use_pools_of_types_ = reinterpret_cast<int (*)()>(dlsym(loaded_, "use_pools_of_types"));
        }
    }
    plug_in(const plug_in&) = delete;
    plug_in& operator=(const plug_in&) = delete;
    ~plug_in() { unload(); }

    void unload() {
        if (loaded_ != nullptr) {
            dlclose(loaded_);
            loaded_ = nullptr;
        }
    }

    [[nodiscard]] bool is_loaded() const { return loaded_ != nullptr; }
    int use(void* pool = nullptr) const { return use_(pool); }
    int use_pools_of_types() const { return use_pools_of_types_(); }

private:
    void* loaded_ = nullptr;
    use_function use_ = nullptr;
    int (*use_pools_of_types_)() = nullptr;
};

/// Effects: does `work` in a child, so that its libraries and keys are gone with it.
template <class Work>
void expect_zero_in_child(Work work) {
    EXPECT_EQ(process::run_in_child(work), process::ending::by_itself_with(0));
}

std::vector<std::unique_ptr<plug_in>> all_loaded() {
    std::vector<std::unique_ptr<plug_in>> loaded;
    for (std::size_t i = 0; i < copies; ++i) {
        loaded.push_back(std::make_unique<plug_in>(i));
        if (!loaded.back()->is_loaded()) {
            std::_Exit(20);
        }
    }
    return loaded;
}

TEST(plug_ins_and_threads, are_loaded_by_the_dozen) {
    expect_zero_in_child([] {
        const auto loaded = all_loaded();
        int wrong = 0;
        for (const auto& p : loaded) {
            wrong += p->use();
        }
        return wrong;
    });
}

TEST(plug_ins_and_threads, serve_earlier_and_later_threads) {
    expect_zero_in_child([] {
        std::atomic<bool> ready = false;
        std::atomic<int> wrong = 0;
        std::vector<std::unique_ptr<plug_in>> loaded;
        mallard::concurrent_multipool<> shared;
        const auto work = [&] {
            ready.wait(false);
            for (int round = 0; round < 20; ++round) {
                for (const auto& p : loaded) {
                    wrong += p->use(&shared);
                }
            }
        };
        std::vector<std::thread> threads;
        threads.emplace_back(work);
        threads.emplace_back(work);
        loaded = all_loaded();
        ready = true;
        ready.notify_all();
        threads.emplace_back(work);
        for (std::thread& t : threads) {
            t.join();
        }
        shared.release();
        return wrong.load();
    });
}

TEST(plug_ins_and_threads, may_be_unloaded_while_user_threads_live) {
    expect_zero_in_child([] {
        auto loaded = all_loaded();
        std::atomic<int> used = 0;
        std::atomic<int> wrong = 0;
        std::atomic<bool> may_end = false;
        mallard::concurrent_multipool<> shared;
        std::vector<std::thread> threads;
        for (int id = 0; id < 4; ++id) {
            threads.emplace_back([&] {
                for (const auto& p : loaded) {
                    wrong += p->use(&shared);
                }
                ++used;
                used.notify_all();
                may_end.wait(false);
            });
        }
        for (int n = used; n != 4; n = used) {
            used.wait(n);
        }
        for (const auto& p : loaded) {
            p->unload();
        }
        const process::ending forked = process::run_in_child([] { return 0; });
        may_end = true;
        may_end.notify_all();
        for (std::thread& t : threads) {
            t.join();
        }
        return wrong + (forked == process::ending::by_itself_with(0) ? 0 : 1);
    });
}

TEST(plug_ins_and_threads, may_be_unloaded_while_user_threads_end) {
    expect_zero_in_child([] {
        std::atomic<int> wrong = 0;
        for (std::size_t round = 0; round < 60; ++round) {
            plug_in p(round);
            std::atomic<int> used = 0;
            std::vector<std::thread> threads;
            for (int id = 0; id < 3; ++id) {
                threads.emplace_back([&] {
                    wrong += p.use();
                    ++used;
                });
            }
            while (used != 3) {
                std::this_thread::yield();
            }
            p.unload();
            for (std::thread& t : threads) {
                t.join();
            }
        }
        return wrong.load();
    });
}

TEST(plug_ins_and_threads, end_with_the_program_in_any_thread) {
    expect_zero_in_child([] {
        const pid_t child = process::fork_cleanly();
        if (child == 0) {
            alarm(100);
            auto* const loaded = new auto(all_loaded());
            std::atomic<int> used = 0;
            for (int id = 0; id < 3; ++id) {
                std::thread([loaded, &used] {
                    for (;;) {
                        for (const auto& p : *loaded) {
                            static_cast<void>(p->use_pools_of_types());
                        }
                        ++used;
                    }
                }).detach();
            }
            while (used < 3) {
                std::this_thread::yield();
            }
            process::last_object.in_child = true;
            std::exit(1);
        }
        return process::wait_for(child) == process::ending::by_itself_with(0) ? 0 : 1;
    });
}

} // namespace

#endif
