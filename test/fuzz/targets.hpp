// The fuzz targets: each takes any bytes, and aborts if an expectation fails. run.sh builds them with
// libFuzzer; the unit tests give each a few random inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#define FUZZ_EXPECT(condition)                                                                               \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                     \
            std::abort();                                                                                    \
        }                                                                                                    \
    } while (false)

namespace simhash
{

void fuzz_page(const std::uint8_t *data, std::size_t size);
void fuzz_meta(const std::uint8_t *data, std::size_t size);
void fuzz_store(const std::uint8_t *data, std::size_t size);
void fuzz_text(const std::uint8_t *data, std::size_t size);
void fuzz_weights(const std::uint8_t *data, std::size_t size);
void fuzz_features(const std::uint8_t *data, std::size_t size);
void fuzz_signature_sums(const std::uint8_t *data, std::size_t size);
void fuzz_projection(const std::uint8_t *data, std::size_t size);
void fuzz_pairs(const std::uint8_t *data, std::size_t size);
void fuzz_plan(const std::uint8_t *data, std::size_t size);
void fuzz_signatures(const std::uint8_t *data, std::size_t size);

// Takes values from an input; zeros after its end.
class Bytes
{
public:
    Bytes(const std::uint8_t *data, std::size_t size) : at_(data), end_(data + size) {}

    bool empty() const { return at_ == end_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    const std::uint8_t *rest() const { return at_; }

    template <typename T> T take()
    {
        T value = {};
        std::size_t size = left() < sizeof(T) ? left() : sizeof(T);
        if (size > 0)
            std::memcpy(&value, at_, size);
        at_ += size;
        return value;
    }

private:
    const std::uint8_t *at_;
    const std::uint8_t *end_;
};

// A copy of some bytes at the end of their allocation, for AddressSanitizer to watch.
struct Exact {
    std::unique_ptr<char[]> bytes;
    std::size_t length;

    Exact(const void *from, std::size_t size) : bytes(new char[size]), length(size)
    {
        if (size > 0)
            std::memcpy(bytes.get(), from, size);
    }
    bool holds(const char *at, std::size_t size) const
    {
        return at >= bytes.get() && size <= length &&
               static_cast<std::size_t>(at - bytes.get()) <= length - size;
    }
};

} // namespace simhash
