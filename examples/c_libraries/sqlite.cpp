// SQLite, whose hooks have no user pointer, and sizes of type int: a pool for the program.
//
// The hooks are set before the first call of the library. As long as it counts its memory, which is its default, it locks
// a mutex around them, so that the pool needs no lock.
#include <mallard/mallard.hpp>

#include <sqlite3.h>

#include <iostream>
#include <string>

namespace {

struct database_memory : mallard::single_threaded<database_memory, mallard::counted<mallard::multipool<>>> {};
using functions = mallard::c_functions<database_memory>;

int print(void*, int, char** values, char**) {
    std::cout << "The sum is " << values[0] << ".\n";
    return 0;
}

} // namespace

int main() {
    const auto hooks = functions::sqlite_methods<sqlite3_mem_methods>();
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &hooks) != SQLITE_OK) {
        return 1;
    }
    sqlite3* database = nullptr;
    sqlite3_open(":memory:", &database);
    sqlite3_exec(database,
                 "create table squares(value integer); "
                 "with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1000) "
                 "insert into squares select n * n from numbers",
                 nullptr, nullptr, nullptr);
    sqlite3_exec(database, "select sum(value) from squares", print, nullptr, nullptr);
    const std::size_t most_bytes = database_memory::pool().counts().peak_bytes;
    std::cout << (most_bytes > 10'000 ? "The table came from the pool.\n" : "");
    sqlite3_close(database);
    sqlite3_shutdown();
    std::cout << database_memory::pool().bytes_in_use() << " bytes are left.\n";
}
