// LevelDB in memory, which has its own arena: entries are written and read. PROGRAM ENTRIES BYTES.
#include "advisor/case_studies/program/checksum.hpp"

#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/helpers/memenv.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s ENTRIES BYTES\n", argv[0]);
        return 2;
    }
    const unsigned long entries = std::strtoul(argv[1], nullptr, 10);
    const std::string filler(std::strtoul(argv[2], nullptr, 10), 'x');
    const std::unique_ptr<leveldb::Env> memory(leveldb::NewMemEnv(leveldb::Env::Default()));
    leveldb::Options options;
    options.env = memory.get();
    options.create_if_missing = true;
    leveldb::DB* opened = nullptr;
    if (!leveldb::DB::Open(options, "case", &opened).ok()) {
        return 2;
    }
    const std::unique_ptr<leveldb::DB> store(opened);
    std::mt19937 draw(42);
    for (unsigned long entry = 0; entry != entries; ++entry) {
        store->Put({}, std::to_string(draw() % entries), filler);
    }
    case_studies::checksum sum;
    std::string value;
    for (unsigned long entry = 0; entry != entries; ++entry) {
        sum.add(store->Get({}, std::to_string(draw() % entries), &value).ok());
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(sum.value()));
    return 0;
}
