// What the programs that make rows and queries share: random numbers, signatures, files for COPY in binary.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

[[noreturn]] inline void fail(const std::string &what)
{
    std::fprintf(stderr, "%s\n", what.c_str());
    std::exit(1);
}

class Random // splitmix64
{
public:
    using result_type = std::uint64_t;
    explicit Random(std::uint64_t seed) : state_(seed) {}
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return ~result_type{0}; }

    result_type operator()()
    {
        std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }
    std::size_t below(std::size_t n)
    {
        return static_cast<std::size_t>((static_cast<unsigned __int128>((*this)()) * n) >> 64);
    }
    double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

private:
    std::uint64_t state_;
};

using Signature = std::vector<std::uint8_t>;

inline void flip(Signature *signature, std::size_t bit)
{
    (*signature)[bit / 8] = static_cast<std::uint8_t>((*signature)[bit / 8] ^ 0x80 >> bit % 8);
}

class File
{
public:
    explicit File(const std::string &name) : name_(name), file_(std::fopen(name.c_str(), "wb"))
    {
        if (file_ == nullptr)
            fail("cannot write " + name);
    }

    void close()
    {
        if (std::fclose(file_) != 0)
            fail("cannot write " + name_);
    }

    void put(const void *bytes, std::size_t n)
    {
        if (std::fwrite(bytes, 1, n, file_) != n)
            fail("cannot write " + name_);
    }

    void put(std::uint64_t value, int bytes) // big-endian, as in COPY
    {
        unsigned char buffer[8];
        for (int i = 0; i < bytes; i++)
            buffer[i] = static_cast<unsigned char>(value >> (8 * (bytes - 1 - i)));
        put(buffer, static_cast<std::size_t>(bytes));
    }

private:
    std::string name_;
    std::FILE *file_;
};

class CopyFile : public File
{
public:
    explicit CopyFile(const std::string &name) : File(name)
    {
        put("PGCOPY\n\377\r\n", 11);
        put(0, 8);
    }

    void put_row(std::uint32_t id, int bits, const Signature &signature, int fields)
    {
        put(static_cast<std::uint32_t>(fields), 2);
        put(4, 4);
        put(id, 4);
        put(static_cast<std::uint32_t>(4 + signature.size()), 4);
        put(static_cast<std::uint32_t>(bits), 4);
        put(signature.data(), signature.size());
    }

    void put_weights(const std::vector<float> &weights)
    {
        constexpr unsigned kRealType = 700;
        if (weights.empty()) {
            put(0xFFFFFFFF, 4);
            return;
        }
        auto count = static_cast<std::uint32_t>(weights.size());
        put(20 + 8 * count, 4);
        for (std::uint32_t word : {1u, 0u, kRealType, count, 1u})
            put(word, 4);
        for (float weight : weights) {
            std::uint32_t word;
            std::memcpy(&word, &weight, sizeof(word));
            put(4, 4);
            put(word, 4);
        }
    }

    void close()
    {
        put(0xFFFF, 2);
        File::close();
    }
};
