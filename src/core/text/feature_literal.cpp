#include "core/text/feature_literal.hpp"

#include <string_view>

namespace simhash
{

namespace
{

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Whether an array's element without quotes may contain it.
bool is_bare(char c)
{
    return c != '{' && c != '}' && c != ',' && c != '"' && c != '\\' && !is_space(c) && c != '\v' &&
           c != '\f';
}

bool is_numeric(char c)
{
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

// Each function moves behind what it is named after. If that isn't there, it returns false.
class Scanner
{
public:
    Scanner(const char *text, std::size_t length) : rest_(text, length) {}

    bool end() const { return rest_.empty(); }

    bool sign(char c)
    {
        if (rest_.empty() || rest_.front() != c)
            return false;
        rest_.remove_prefix(1);
        return true;
    }

    void spaces() { (void)some(is_space); }

    // "in quotes", with backslashes before quotes and backslashes
    bool quoted()
    {
        if (!sign('"'))
            return false;
        while (!rest_.empty() && rest_.front() != '"')
            rest_.remove_prefix(rest_.front() == '\\' && rest_.size() > 1 ? 2 : 1);
        return sign('"');
    }

    // an element of an array without quotes
    bool bare() { return some(is_bare); }

    // a number of JSON, or null
    bool number()
    {
        if (!rest_.starts_with("null"))
            return some(is_numeric);
        rest_.remove_prefix(4);
        return true;
    }

private:
    // at least one such character
    bool some(bool (*belongs)(char))
    {
        std::size_t length = 0;
        while (length < rest_.size() && belongs(rest_[length]))
            length++;
        rest_.remove_prefix(length);
        return length > 0;
    }

    std::string_view rest_;
};

bool is_array(Scanner in)
{
    int depth = 0;
    do {
        while (in.sign('{'))
            depth++;
        if (depth == 0 || (!in.quoted() && !in.bare()))
            return false;
        while (depth > 0 && in.sign('}'))
            depth--;
    } while (depth > 0 && in.sign(','));
    return depth == 0 && in.end();
}

bool json_element(Scanner *in) { return in->quoted() || in->number(); }

bool json_member(Scanner *in)
{
    if (!in->quoted())
        return false;
    in->spaces();
    if (!in->sign(':'))
        return false;
    in->spaces();
    return in->number();
}

bool is_json(Scanner in, char opening, bool (*element)(Scanner *), char closing)
{
    if (!in.sign(opening))
        return false;
    do {
        in.spaces();
        if (!element(&in))
            return false;
        in.spaces();
    } while (in.sign(','));
    return in.sign(closing) && in.end();
}

} // namespace

bool is_feature_literal(const char *text, std::size_t length)
{
    Scanner in(text, length);
    return is_array(in) || is_json(in, '[', json_element, ']') || is_json(in, '{', json_member, '}');
}

} // namespace simhash
