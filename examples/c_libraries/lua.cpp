// Lua, whose hook has a user pointer and passes the old size: a pool for each state, without a header on any block.
//
// A script that is done is winked out: lua_close() would visit each of its objects. It may be left out if none has a
// finalizer that matters, such as an open file.
#include <mallard/mallard.hpp>

#include <iostream>
#include <lua.hpp>

namespace {

using pool = mallard::counted<mallard::multipool<>>; // counts for the output; mallard::multipool<> is enough

long long sum_of_squares(pool& memory) {
    lua_State* const lua = lua_newstate(mallard::sized_c_functions<pool>::realloc, &memory);
    luaL_openlibs(lua);
    luaL_dostring(lua, "local squares = {} "
                       "for i = 1, 1000 do squares[i] = {value = i * i} end "
                       "local sum = 0 "
                       "for _, square in ipairs(squares) do sum = sum + square.value end "
                       "return sum");
    return lua_tointeger(lua, -1);
}

} // namespace

int main() {
    pool memory;
    std::cout << "The sum is " << sum_of_squares(memory) << ".\n";
    std::cout << (memory.counts().allocations > 2000 ? "Each table came from the pool.\n" : "");
    memory.release();
    std::cout << memory.bytes_in_use() << " bytes are left, and lua_close() was not called.\n";
}
