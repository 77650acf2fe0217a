// Times queries as a client sees them: prepared statements over the connection given by libpq's environment,
// one session, all methods for every query, in a new order each time.
//
//   latency METHODS QUERIES COUNT SECONDS ROWS PLANS
//
// METHODS: lines of name, variant, parameters and statement, separated by tabs. Parameters are words: "id" (a
// number from 1 to ROWS), "hash" (the query's fingerprint), "block0" to "block3" (its 16 bits as a number),
// "keys" (the array of the four blocks, b * 65536 added to block b). QUERIES: a file of fingerprints, of
// which COUNT are used after a warm-up with a tenth as many. Prints lines name,variant,measure,value for p50, p99
// and mean in microseconds, and the rows found; writes the plans, and whether they are generic or custom
// ones, to the file PLANS.
// Libraries: -lpq
#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace
{

struct Method {
    std::string name, variant, statement, prepared;
    std::vector<std::string> parameters;
    std::vector<double> microseconds;
    std::uint64_t found = 0;
};

[[noreturn]] void fail(const std::string &what)
{
    std::fprintf(stderr, "latency: %s\n", what.c_str());
    std::exit(1);
}

class Result
{
public:
    Result(PGconn *connection, PGresult *result) : result_(result)
    {
        ExecStatusType status = PQresultStatus(result_);
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
            fail(PQerrorMessage(connection));
    }
    Result(const Result &) = delete;
    Result &operator=(const Result &) = delete;
    ~Result() { PQclear(result_); }

    int rows() const { return PQntuples(result_); }
    const char *value(int row, int column) const { return PQgetvalue(result_, row, column); }

private:
    PGresult *result_;
};

std::vector<Method> read_methods(const char *path)
{
    std::ifstream file(path);
    std::vector<Method> methods;
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        Method m;
        std::getline(fields, m.name, '\t');
        std::getline(fields, m.variant, '\t');
        std::string parameters;
        std::getline(fields, parameters, '\t');
        std::istringstream words(parameters);
        for (std::string word; words >> word;)
            m.parameters.push_back(word);
        std::getline(fields, m.statement);
        m.prepared = "method_" + std::to_string(methods.size());
        methods.push_back(m);
    }
    if (methods.empty())
        fail("no methods");
    return methods;
}

// The parameters in text form, as most drivers send them.
std::string value_of(const std::string &parameter, std::uint64_t query, std::uint64_t rows)
{
    auto block = [query](int b) { return query >> (48 - 16 * b) & 65535; };
    if (parameter == "id")
        return std::to_string((query * 0x9e3779b97f4a7c15 >> 8) % rows + 1);
    if (parameter == "hash") {
        char text[17];
        std::snprintf(text, sizeof(text), "%016" PRIx64, query);
        return text;
    }
    if (parameter == "keys") {
        std::string text;
        for (int b = 0; b < 4; b++)
            text += (b == 0 ? "{" : ",") + std::to_string(static_cast<unsigned>(b) * 65536 + block(b));
        return text + "}";
    }
    if (parameter.size() == 6 && parameter.starts_with("block"))
        return std::to_string(block(parameter[5] - '0'));
    fail("unknown parameter " + parameter);
}

std::vector<std::string> values_of(const Method &method, std::uint64_t query, std::uint64_t rows)
{
    std::vector<std::string> values;
    for (const std::string &parameter : method.parameters)
        values.push_back(value_of(parameter, query, rows));
    return values;
}

int run(PGconn *connection, const Method &method, const std::vector<const char *> &values)
{
    Result result(connection,
                  PQexecPrepared(connection, method.prepared.c_str(), static_cast<int>(values.size()),
                                 values.data(), nullptr, nullptr, 0));
    return result.rows();
}

void write_plans(PGconn *connection, const std::vector<Method> &methods, const char *path)
{
    std::ofstream plans(path);
    for (const Method &m : methods) {
        Result counts(
            connection,
            PQexec(connection,
                   ("SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = '" +
                    m.prepared + "'")
                       .c_str()));
        plans << m.name << ", " << m.variant << ": " << counts.value(0, 0) << " generic plans, "
              << counts.value(0, 1) << " custom\n";
        std::string call = m.prepared;
        for (const std::string &value : values_of(m, 0x0123456789abcdef, 1))
            call += (call == m.prepared ? "('" : ", '") + value + "'";
        call += m.parameters.empty() ? "" : ")";
        Result plan(connection, PQexec(connection, ("EXPLAIN (COSTS OFF) EXECUTE " + call).c_str()));
        for (int i = 0; i < plan.rows(); i++)
            plans << "    " << plan.value(i, 0) << "\n";
        plans << "\n";
    }
}

// Runs one query after the other by every method.
void ask(PGconn *connection, std::span<const std::uint64_t> queries, double seconds, std::uint64_t rows,
         std::vector<Method> *methods)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t kFewest = 20;
    std::mt19937 random(1);
    std::vector<std::size_t> order(methods->size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (std::size_t i = 0; i < queries.size() && (i < kFewest || Clock::now() < end); i++) {
        std::shuffle(order.begin(), order.end(), random);
        for (std::size_t number : order) {
            Method &m = (*methods)[number];
            std::vector<std::string> texts = values_of(m, queries[i], rows);
            std::vector<const char *> values;
            for (const std::string &text : texts)
                values.push_back(text.c_str());
            auto begun = Clock::now();
            int found = run(connection, m, values);
            std::chrono::duration<double, std::micro> spent = Clock::now() - begun;
            m.microseconds.push_back(spent.count());
            m.found += static_cast<std::uint64_t>(found);
        }
    }
}

void print(Method *m)
{
    auto line = [&](const char *measure, double value) {
        std::printf("\"%s\",\"%s\",%s,%.6g\n", m->name.c_str(), m->variant.c_str(), measure, value);
    };
    std::size_t count = m->microseconds.size();
    std::sort(m->microseconds.begin(), m->microseconds.end());
    line("p50", m->microseconds[count / 2]);
    line("p99", m->microseconds[count - 1 - count / 100]);
    line("mean",
         std::accumulate(m->microseconds.begin(), m->microseconds.end(), 0.0) / static_cast<double>(count));
    line("queries", static_cast<double>(count));
    line("found", static_cast<double>(m->found));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 7) {
        std::fprintf(stderr, "usage: latency METHODS QUERIES COUNT SECONDS ROWS PLANS\n");
        return 2;
    }
    std::vector<Method> methods = read_methods(argv[1]);
    std::size_t count = std::strtoull(argv[3], nullptr, 10);
    double seconds = std::atof(argv[4]);
    std::uint64_t rows = std::strtoull(argv[5], nullptr, 10);
    std::vector<std::uint64_t> queries(count + count / 10);
    std::FILE *file = std::fopen(argv[2], "rb");
    if (file == nullptr ||
        std::fread(queries.data(), sizeof(queries[0]), queries.size(), file) != queries.size())
        fail(std::string("too few queries in ") + argv[2]);
    std::fclose(file);

    PGconn *connection = PQconnectdb("");
    if (PQstatus(connection) != CONNECTION_OK)
        fail(PQerrorMessage(connection));
    for (const Method &m : methods)
        Result(connection, PQprepare(connection, m.prepared.c_str(), m.statement.c_str(), 0, nullptr));

    auto warm = queries.begin() + static_cast<std::ptrdiff_t>(count);
    ask(connection, {warm, queries.end()}, seconds / 10, rows, &methods);
    for (Method &m : methods) {
        m.microseconds.clear();
        m.found = 0;
    }
    ask(connection, {queries.begin(), warm}, seconds, rows, &methods);
    for (Method &m : methods)
        print(&m);
    write_plans(connection, methods, argv[6]);
    PQfinish(connection);
    return 0;
}
