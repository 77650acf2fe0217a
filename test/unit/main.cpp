// The main program of the unit tests. With --tap it prints TAP, for `prove`, in place of GoogleTest's own report.
#include <cstdio>
#include <cstring>

#include <gtest/gtest.h>

namespace
{

class TapPrinter : public ::testing::EmptyTestEventListener
{
    void OnTestIterationStart(const ::testing::UnitTest &tests, int) override
    {
        std::printf("1..%d\n", tests.test_to_run_count());
    }

    void OnTestPartResult(const ::testing::TestPartResult &part) override
    {
        if (part.failed())
            std::fprintf(stderr, "%s:%d:\n%s\n", part.file_name(), part.line_number(), part.message());
    }

    void OnTestEnd(const ::testing::TestInfo &test) override
    {
        std::printf("%sok %d - %s.%s%s\n", test.result()->Failed() ? "not " : "", ++ended_,
                    test.test_suite_name(), test.name(), test.result()->Skipped() ? " # SKIP" : "");
        std::fflush(stdout);
    }

    int ended_ = 0;
};

} // namespace

int main(int count, char **arguments)
{
    ::testing::InitGoogleTest(&count, arguments);
    if (count > 1 && std::strcmp(arguments[1], "--tap") == 0) {
        auto &listeners = ::testing::UnitTest::GetInstance()->listeners();
        delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new TapPrinter);
    }
    int status = RUN_ALL_TESTS();
    // Otherwise a filter that fits no test would pass.
    return ::testing::UnitTest::GetInstance()->test_to_run_count() == 0 ? 1 : status;
}
