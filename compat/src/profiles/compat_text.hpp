// The features of a text by the profile of another library. Texts are UTF-8; nothing is allocated.
//
//   PreparedText prepared;
//   prepared.init(profile, text, length, buffer);      a buffer of prepared_size(length) bytes
//   while (prepared.step()) …                          until it is done
//   ProfileShingles shingles;
//   shingles.init(profile, size, buffer, prepared.size());
//   while (shingles.next(&bytes, &length)) …
#pragma once

#include "profiles/compat_profiles.hpp"

namespace simhash
{

// The most bytes a prepared text can have: lower-casing may turn two into three.
constexpr std::size_t prepared_size(std::size_t length) { return length + length / 2 + 8; }

// Whether Unicode 13.0, whose letters and numbers the profiles know, assigns the character.
bool is_assigned(char32_t character);

class PreparedText
{
public:
    void init(const Profile &profile, const char *text, std::size_t length, char *out);

    // Prepares another part. Returns false when the text is done.
    bool step();

    std::size_t size() const { return used_; }

private:
    void put(char32_t character);
    void add_python(char32_t character);
    void add_python_word(char32_t character, int size);
    void add_ruby(char32_t character, int size);
    void add_bytes_of_word();
    bool final_sigma() const;

    Preparation preparation_;
    const char *text_;
    const char *at_;
    const char *end_;
    char *out_;
    std::size_t used_;
    std::size_t token_; // where in out_ the token began, kRubyTokens
    bool gap_;          // a space is due before the token's next letter, or kPythonWords: was the last
};

// Overlapping shingles of a prepared text. Requires: the text stays in place.
class ProfileShingles
{
public:
    // Requires: 1 <= size <= kProfileSizeMax.
    void init(const Profile &profile, int size, const char *text, std::size_t length);

    bool next(const char **bytes, std::size_t *length);

private:
    bool next_unit(std::size_t *start, std::size_t *end);
    bool pass_field(std::size_t *end);
    void pass_character();
    void pass_go_word(std::size_t *start);
    void pass_ascii_letters(std::size_t *start);
    void pass_go_letters(std::size_t *start);
    template <typename Test> void pass_while(Test test)
    {
        while (at_ < length_ && test(text_[at_]))
            at_++;
    }

    const Profile *profile_;
    const char *text_;
    std::size_t length_;
    std::size_t at_;
    bool more_; // fields
    bool finished_;
    std::size_t size_;
    std::size_t units_;
    std::size_t newest_;
    std::size_t starts_[kProfileSizeMax]; // of the last units, in a ring
};

} // namespace simhash
