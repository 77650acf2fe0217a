#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/text/url_features.hpp"

namespace simhash
{
namespace
{

using Strings = std::vector<std::string>;

Strings components(const std::string &url, UrlPart part = UrlPart::kPath)
{
    std::vector<char> exact(url.begin(), url.end());
    UrlComponents in(exact.data(), exact.size(), part);
    Strings all;
    const char *bytes;
    std::size_t length;
    while (in.next(&bytes, &length))
        all.emplace_back(bytes, length);
    return all;
}

TEST(UrlFeatures, HostIsLeftOut)
{
    EXPECT_EQ(components("http://www.example.com/a/B1c.html"), (Strings{"a", "B", "c", "html"}));
    EXPECT_EQ(components("svn+ssh://user@host:22/trunk"), Strings{"trunk"});
    EXPECT_EQ(components("//host/path"), Strings{"path"});
    EXPECT_EQ(components("/path//more"), (Strings{"path", "more"}));
    EXPECT_EQ(components("http://host"), Strings());
    EXPECT_EQ(components("http://host?q=word"), (Strings{"q", "word"}));
    EXPECT_EQ(components("http:/one/slash"), (Strings{"http", "one", "slash"}));
    EXPECT_EQ(components("1http://host/path"), (Strings{"http", "host", "path"}))
        << "no scheme begins with a digit";
    EXPECT_EQ(components("docs/a"), (Strings{"docs", "a"}));
}

TEST(UrlFeatures, Hosts)
{
    auto host = [](const char *url) { return components(url, UrlPart::kHost); };
    EXPECT_EQ(host("http://www6.infoseek.com/a/b?c#d"), (Strings{"www", "infoseek", "com"}));
    EXPECT_EQ(host("//user:word@x-y.de:80"), (Strings{"x", "y", "de"}));
    EXPECT_EQ(host("//a@b@c?d@e"), Strings{"c"});
    EXPECT_EQ(host("http://127.0.0.1/a"), Strings());
    EXPECT_EQ(host("http://"), Strings());
    EXPECT_EQ(host("/a/b"), Strings());
    EXPECT_EQ(host("a.b/c"), Strings());
    EXPECT_EQ(host("http://a#b/c"), Strings{"a"});
    EXPECT_EQ(host(""), Strings());
}

TEST(UrlFeatures, Separators)
{
    EXPECT_EQ(components("/a%20b%C3%A9c%zz%4"), (Strings{"a", "b", "c", "zz"}));
    EXPECT_EQ(components("/été_2x"), (Strings{"été", "x"}));
    EXPECT_EQ(components("/a#b"), Strings{"a"});
    EXPECT_EQ(components("#"), Strings());
    EXPECT_EQ(components(""), Strings());
    EXPECT_EQ(components("%"), Strings());
    EXPECT_EQ(components("a:/"), Strings{"a"});
}

TEST(UrlFeatures, AnyBytes)
{
    std::mt19937_64 random(3);
    const std::string alphabet = "ab:/?#%4@\xC3";
    for (int i = 0; i < 2000; i++) {
        std::string url;
        for (std::size_t k = random() % 12; k > 0; k--)
            url += alphabet[random() % alphabet.size()];
        EXPECT_LE(components(url).size() + components(url, UrlPart::kHost).size(), url.size());
    }
}

} // namespace
} // namespace simhash
