#!/usr/bin/env python3
"""Plays searches on shards by id (A) against shards by block (B), with the costs that run.sh and tasks.sh measured.

    bench/scale/shards.py results.csv [--rows 1e10] [--shards 300] [--cores 16] [--radius 3] [--tables 10 --header 25]
    bench/scale/shards.py results.csv --check     compares the costs on three shards with those predicted from the others

A: every query is a task for each shard, whose index holds rows / shards of them.
B: a query is a task for each of its block values, on the shard that the value selects, and then one for each row found.

The costs of a task come from results.csv: A's search by the number of a shard's rows, interpolated between the sizes measured, and
with the trend of the last two beyond; B's by the rows of a block, a line through the sizes measured. The message, parser and plan
of a task, and what a query costs the coordinator whatever the number of shards, are the line through what tasks.sh measured over
postgres_fdw. A coordinator's process sends the tasks of its query one after the other; shards serve tasks in order of arrival, each
on one core of a replica. A task is late with a small probability, by an exponential time. Queries arrive at random.
"""
import argparse
import csv
import heapq
import math
import random


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--rows", type=float, default=1e10)
    parser.add_argument("--shards", type=int, default=300)
    parser.add_argument("--replicas", type=int, default=1, help="servers with the rows of a shard")
    parser.add_argument("--cores", type=int, default=16, help="of a server")
    parser.add_argument("--memory", type=float, default=128, help="GB of a server, of which three quarters hold the index")
    parser.add_argument("--coordinator-cores", type=int, default=64, help="of all coordinators")
    parser.add_argument("--radius", type=int, choices=(3, 7), default=3)
    parser.add_argument("--tables", type=int, default=10, help="block values of a row")
    parser.add_argument("--header", type=int, default=25, help="bits of a block value")
    parser.add_argument("--found", type=int, default=2, help="rows that a query finds")
    parser.add_argument("--available", type=float, default=0.999, help="part of the time that a server is up")
    parser.add_argument("--late", type=float, default=0.001, help="part of the tasks that are late")
    parser.add_argument("--late-ms", type=float, default=20, help="by so much, on average")
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def measured(path):
    """{(part, method, measure): [(rows, value), ...]}, by ascending rows."""
    found = {}
    with open(path, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            key = line["part"], line["method"], line["measure"]
            found.setdefault(key, []).append((int(line["rows"]), float(line["value"])))
    return {key: sorted(values) for key, values in found.items()}


def by_rows(values, rows):
    """Between the sizes measured, and beyond them, linear in the logarithms."""
    if len(values) == 1:
        return values[0][1]
    upper = next((i for i in range(1, len(values)) if values[i][0] >= rows), len(values) - 1)
    (x0, y0), (x1, y1) = values[upper - 1], values[upper]
    return y0 * math.exp(math.log(y1 / y0) * math.log(rows / x0) / math.log(x1 / x0))


def line_through(points):
    """The intercept and the slope of the line with the least squares of relative errors; through one point, a constant."""
    weight = [1 / y**2 for _, y in points]
    n = sum(weight)
    mean_x, mean_y = (sum(w * point[i] for w, point in zip(weight, points)) / n for i in (0, 1))
    spread = sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weight, points))
    slope = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weight, points)) / spread if spread else 0
    return mean_y - slope * mean_x, slope


class Costs:
    """Microseconds that tasks cost beside their searches, from the lines of tasks.sh with the fewest rows a shard."""

    def __init__(self, values, search):
        self.points = {}  # (part, shards, rows): (coordinator, shards)
        for (part, method, measure), lines in values.items():
            if part in ("task", "batch") and measure == "coordinator us":
                shards = int(method.split()[0])
                on_shards = dict(values[part, method, "shards us"])
                for rows, value in lines:
                    self.points[part, shards, rows] = value, on_shards[rows]
        self.fewest = min(rows // shards for _, shards, rows in self.points)
        fit = {part: [(shards, *cost) for (of, shards, rows), cost in self.points.items()
                      if of == part and rows // shards == self.fewest] for part in ("task", "batch")}
        self.query, self.task_coordinator = line_through([(s, c) for s, c, _ in fit["task"]])
        self.task_shard = max(0, line_through([(s, t) for s, _, t in fit["task"]])[1] - search(self.fewest))
        self.batch_coordinator = line_through([(s, c) for s, c, _ in fit["batch"]])[1]
        self.batch_shard = line_through([(s, t) for s, _, t in fit["batch"]])[1]

    def check(self, search):
        print(f"{'':34}{'predicted':>12}{'measured':>12}")
        for (part, shards, rows), (coordinator, on_shards) in sorted(self.points.items()):
            if part == "task" and rows // shards != self.fewest:
                name = f"{rows:,} rows on {shards} shards, "
                print(f"{name + 'coordinator':34}{self.query + shards * self.task_coordinator:>9.0f} µs{coordinator:>9.0f} µs")
                print(f"{name + 'shards':34}{shards * (self.task_shard + search(rows / shards)):>9.0f} µs{on_shards:>9.0f} µs")


class Way:
    """How one way serves a query: stages of tasks, each with a number of tasks and microseconds on the shard."""

    def __init__(self, name, stages, args, costs, everywhere):
        self.name, self.stages, self.args, self.costs, self.everywhere = name, stages, args, costs, everywhere
        self.tasks = sum(tasks for tasks, _ in stages)
        self.shard = sum(tasks * (cost + costs.task_shard) for tasks, cost in stages)
        self.coordinator = costs.query + self.tasks * costs.task_coordinator

    def most(self):
        """Queries per second that shards and coordinators can serve."""
        cores = self.args.shards * self.args.replicas * self.args.cores
        return 1e6 * min(cores / self.shard, self.args.coordinator_cores / self.coordinator)

    def availability(self):
        """The part of queries whose shards are all up."""
        up = 1 - (1 - self.args.available) ** self.args.replicas
        return up ** (self.args.shards if self.everywhere else self.tasks)

    def latencies(self, rate):
        """Microseconds from the arrival of each query to its answer, sorted."""
        args, costs, rng = self.args, self.costs, random.Random(self.args.seed)
        coordinator = [0.0] * args.coordinator_cores
        shard = [[0.0] * (args.cores * args.replicas) for _ in range(args.shards)]
        events, clock, left, arrived, done = [], 0.0, {}, {}, []
        for query in range(args.queries):
            clock += rng.expovariate(rate / 1e6)
            arrived[query] = clock
            events.append((clock, query, 0, -1))
        heapq.heapify(events)
        while events:
            now, query, stage, place = heapq.heappop(events)
            tasks, cost = self.stages[stage]
            if place < 0:  # the coordinator sends the stage's tasks
                left[query] = [tasks, now]
                free = max(now, heapq.heappop(coordinator)) + (costs.query if stage == 0 else 0)
                places = range(args.shards) if self.everywhere else (rng.randrange(args.shards) for _ in range(tasks))
                for to in places:
                    free += costs.task_coordinator
                    heapq.heappush(events, (free, query, stage, to))
                heapq.heappush(coordinator, free)
                continue
            end = max(now, heapq.heappop(shard[place])) + costs.task_shard + cost
            heapq.heappush(shard[place], end)
            if rng.random() < args.late:
                end += rng.expovariate(1 / (1000 * args.late_ms))
            left[query] = [left[query][0] - 1, max(left[query][1], end)]
            if left[query][0] == 0:
                if stage + 1 < len(self.stages):
                    heapq.heappush(events, (left[query][1], query, stage + 1, -1))
                else:
                    done.append(left[query][1] - arrived[query])
        return sorted(done)


def all_pairs(args, values, costs, block_rows):
    """Hours of processor time for all pairs within 3."""
    rows, routed_rows = args.rows, args.rows * args.tables
    size, _ = values["block pairs", "block pairs", "s"][-1]

    def of(part):  # microseconds a routed row at the largest size
        return dict(values[part, part, "s"])[size] * 1e6 / (4 * size)

    # Dense values have 16 times as many rows.
    sparse_rows = dict(values["routed", "one block", "rows"])[size]
    _, slope = line_through([(sparse_rows, of("block pairs")), (16 * sparse_rows, of("dense block pairs"))])
    compare = of("block pairs") + max(0, slope) * max(0, block_rows - sparse_rows)
    print(f"\nall pairs within 3, hours of processor time{'':17}{'hours':>12}{'elapsed on all cores':>24}")

    def line(name, microseconds):
        hours = microseconds / 3.6e9
        print(f"{name:60}{hours:>12,.1f}{hours / (args.shards * args.replicas * args.cores):>24,.2f}")

    own = by_rows([(n, s / n) for n, s in values["pairs", "pairs", "s"]], rows / args.shards) * 1e6
    line(f"  by id: own pairs of {args.shards} shards", rows * own)
    line("  by id: half of the other shards' rows sent and matched",
         rows * (args.shards - 1) / 2 * (costs.batch_shard + costs.batch_coordinator))
    line(f"  by block: {args.tables} values a row made and stored", routed_rows * of("routed"))
    line(f"  by block: compared, {compare:.2f} µs a value of {block_rows:,.0f} rows", routed_rows * compare)


def main():
    args = arguments()
    values = measured(args.results)

    def search(rows):
        return by_rows(values["warm", f"r = {args.radius}", "us"], rows)

    costs = Costs(values, lambda rows: by_rows(values["warm", "r = 3", "us"], rows))
    if args.check:
        costs.check(search)
        return
    shard_rows, block_rows = args.rows / args.shards, args.rows / 2**args.header
    fetch = by_rows(values["warm", "primary key", "us"], shard_rows)
    index_gb = args.rows * values["size", "index", "bytes per row"][-1][1] / 2**30
    by_id = Way("A, by id", [(args.shards, search(shard_rows))], args, costs, True)
    print(f"{args.rows:,.0f} rows on {args.shards} shards, each of {args.replicas} servers with {args.cores} cores, "
          f"{args.coordinator_cores} cores of coordinators; r = {args.radius}")
    print(f"a query: {costs.query:.0f} µs on the coordinator, and for each task {costs.task_coordinator:.0f} µs there and "
          f"{costs.task_shard:.0f} µs on the shard")
    print(f"A: {shard_rows:,.0f} rows a shard, {search(shard_rows):.1f} µs a search, {index_gb / args.shards:.1f} GB of index a shard; "
          f"in memory on {math.ceil(index_gb / (0.75 * args.memory))} servers of {args.memory:.0f} GB")
    ways = [by_id]
    blocks = dict(values.get(("routed", "one block", "us"), []))
    sizes = dict(values.get(("routed", "one block", "rows"), []))
    if args.radius == 3 and blocks:
        constant, slope = line_through([(sizes[rows], us) for rows, us in blocks.items()])
        block = constant + slope * block_rows
        ways.append(Way("B, by block", [(args.tables, block), (args.found, fetch)], args, costs, False))
        print(f"B: {block_rows:,.0f} rows a block, {block:.1f} µs a block, "
              f"{shard_rows * args.tables / 4 * values['routed', 'routed', 'bytes per row'][-1][1] / 2**30:.1f} GB of table and index a shard")
    print(f"\n{'':28}" + "".join(f"{way.name:>16}" for way in ways))

    def line(name, number, text="{:,.1f}"):
        print(f"{name:28}" + "".join(f"{text.format(number(way)):>16}" for way in ways))

    line("messages a query", lambda way: 2 * way.tasks, "{:,.0f}")
    line("shards, ms a query", lambda way: way.shard / 1000, "{:,.3f}")
    line("coordinator, ms a query", lambda way: way.coordinator / 1000, "{:,.3f}")
    line("queries answered, %", lambda way: 100 * way.availability(), "{:,.2f}")
    line("most queries per second", Way.most, "{:,.0f}")
    batched = min(args.shards * args.replicas * args.cores / (args.shards * max(costs.batch_shard, search(shard_rows))),
                  args.coordinator_cores / (args.shards * costs.batch_coordinator))
    print(f"{'  in batches':28}{1e6 * batched:>16,.0f}")
    rates = sorted({share * by_id.most() for share in (0.2, 0.8)})
    for rate in rates:
        done = {way: way.latencies(rate) if rate < way.most() else [] for way in ways}
        for percent in (50, 99):
            line(f"{percent} % within ms at {rate:,.0f}/s",
                 lambda way: f"{done[way][len(done[way]) * percent // 100] / 1000:,.1f}" if done[way] else "overload", "{}")
        line("  connections to each shard",
             lambda way: f"{rate * sum(done[way]) / len(done[way]) / 1e6:,.0f}" if done[way] else "", "{}")
    if args.radius == 3 and ("dense block pairs", "dense block pairs", "s") in values:
        all_pairs(args, values, costs, block_rows)


if __name__ == "__main__":
    main()
