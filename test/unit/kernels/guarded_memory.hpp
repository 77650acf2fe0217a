// Memory that ends the test when a kernel reads or writes outside it.
#pragma once

#include <cstddef>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace simhash
{

// Memory between pages that must not be touched: AddressSanitizer does not see every vector instruction.
template <typename Item> class GuardedMemory
{
public:
    explicit GuardedMemory(std::size_t most)
        : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
          room_((most * sizeof(Item) + page_ - 1) / page_ * page_)
    {
        void *memory = mmap(nullptr, room_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(memory, MAP_FAILED);
        first_ = static_cast<char *>(memory) + page_;
        EXPECT_EQ(mprotect(first_, room_, PROT_READ | PROT_WRITE), 0);
    }
    GuardedMemory(const GuardedMemory &) = delete;
    ~GuardedMemory() { munmap(first_ - page_, room_ + 2 * page_); }

    // The last `count` items, filled with a pattern.
    Item *last(std::size_t count)
    {
        std::memset(first_, 0xA5, room_);
        return reinterpret_cast<Item *>(first_ + room_) - count;
    }
    // The first ones.
    Item *first()
    {
        std::memset(first_, 0xA5, room_);
        return reinterpret_cast<Item *>(first_);
    }

private:
    std::size_t page_, room_;
    char *first_;
};

} // namespace simhash
