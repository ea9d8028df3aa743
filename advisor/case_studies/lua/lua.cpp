// Lua: a script runs in a new state. Before the change the state has Lua's own allocator, realloc() and free(). Lua
// passes sizes to free, so each allocator of the library serves it.
#include "advisor/case_studies/program/build.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <lua.hpp>

namespace {

using namespace case_studies;

/// A lua_Alloc.
template <class Mechanism>
void* serve(void* mechanism, void* block, std::size_t old_bytes, std::size_t bytes) {
    constexpr std::size_t alignment = 16;
    auto& memory = *static_cast<Mechanism*>(mechanism);
    void* moved = nullptr;
    if (bytes != 0) {
        moved = memory.allocate(bytes, alignment);
        if (block != nullptr) {
            std::memcpy(moved, block, std::min(old_bytes, bytes));
        }
    }
    if (block != nullptr) {
        memory.deallocate(block, old_bytes, alignment);
    }
    return moved;
}

int run(lua_State* state, const char* script) {
    luaL_openlibs(state);
    if (luaL_dofile(state, script) != LUA_OK) {
        std::fprintf(stderr, "%s\n", lua_tostring(state, -1));
        return 2;
    }
    std::printf("%s\n", lua_tostring(state, -1));
    return 0;
}

[[gnu::noinline]] int run_script(const char* script) {
    if constexpr (is_build<before>) {
        lua_State* const state = luaL_newstate();
        const int status = run(state, script);
        lua_close(state);
        return status;
    } else {
        build memory;
        lua_State* const state = lua_newstate(serve<build>, &memory);
        const int status = run(state, script);
        lua_close(state);
        return status;
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s SCRIPT\n", argv[0]);
        return 2;
    }
    return run_script(argv[1]);
}
