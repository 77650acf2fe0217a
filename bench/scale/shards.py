#!/usr/bin/env python3
"""Plays searches on shards by id (A) against shards by block (B), with the costs that run.sh measured.

    bench/scale/shards.py results.csv [--rows 1e10] [--shards 300] [--cores 16] [--radius 3] [--tables 10 --header 25]

A: every query is a task for each shard, whose index holds rows / shards of them.
B: a query is a task for each of its block values, on the shard that the value selects, and then one for each row found.

The costs of a task come from results.csv: A's search by the number of a shard's rows, interpolated between the sizes measured, and
with the trend of the last two beyond; B's by the rows of a block, a line through the sizes measured. Each task also costs
--task-shard and --task-coordinator microseconds. A coordinator's process sends the tasks of its query one after the other;
shards serve tasks in order of arrival, each on one core. Queries arrive at random.
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
    parser.add_argument("--cores", type=int, default=16, help="of a shard")
    parser.add_argument("--coordinator-cores", type=int, default=64, help="of all coordinators")
    parser.add_argument("--radius", type=int, choices=(3, 7), default=3)
    parser.add_argument("--tables", type=int, default=10, help="block values of a row")
    parser.add_argument("--header", type=int, default=25, help="bits of a block value")
    parser.add_argument("--found", type=int, default=2, help="rows that a query finds")
    parser.add_argument("--batch", type=int, default=1000, help="queries of a batch")
    parser.add_argument("--task-shard", type=float, default=94, help="microseconds of a task on its shard")
    parser.add_argument("--task-coordinator", type=float, default=47, help="microseconds of a task on the coordinator")
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
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
    """The least-squares line; through one point, a constant."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0
    return lambda x: mean_y + slope * (x - mean_x)


class Way:
    """How one way serves a query: stages of tasks, each with a number of tasks and microseconds on the shard."""

    def __init__(self, name, stages, args, everywhere):
        self.name, self.stages, self.args, self.everywhere = name, stages, args, everywhere
        self.tasks = sum(tasks for tasks, _ in stages)
        self.shard = sum(tasks * (cost + args.task_shard) for tasks, cost in stages)
        self.coordinator = self.tasks * args.task_coordinator

    def most(self):
        """Queries per second that shards and coordinators can serve."""
        return 1e6 * min(self.args.shards * self.args.cores / self.shard, self.args.coordinator_cores / self.coordinator)

    def latencies(self, rate):
        """Microseconds from the arrival of each query to its answer, sorted."""
        args, rng = self.args, random.Random(self.args.seed)
        coordinator = [0.0] * args.coordinator_cores
        shard = [[0.0] * args.cores for _ in range(args.shards)]
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
                free = max(now, heapq.heappop(coordinator))
                places = range(args.shards) if self.everywhere else (rng.randrange(args.shards) for _ in range(tasks))
                for to in places:
                    free += args.task_coordinator
                    heapq.heappush(events, (free, query, stage, to))
                heapq.heappush(coordinator, free)
                continue
            end = max(now, heapq.heappop(shard[place])) + args.task_shard + cost
            heapq.heappush(shard[place], end)
            left[query] = [left[query][0] - 1, max(left[query][1], end)]
            if left[query][0] == 0:
                if stage + 1 < len(self.stages):
                    heapq.heappush(events, (left[query][1], query, stage + 1, -1))
                else:
                    done.append(left[query][1] - arrived[query])
        return sorted(done)


def main():
    args = arguments()
    values = measured(args.results)
    shard_rows, block_rows = args.rows / args.shards, args.rows / 2**args.header
    search = by_rows(values["warm", f"r = {args.radius}", "us"], shard_rows)
    fetch = by_rows(values["warm", "primary key", "us"], shard_rows)
    by_id = Way("A, by id", [(args.shards, search)], args, True)
    print(f"{args.rows:,.0f} rows on {args.shards} shards of {args.cores} cores, {args.coordinator_cores} cores of coordinators; r = {args.radius}")
    print(f"A: {shard_rows:,.0f} rows a shard, {search:.1f} µs a search, "
          f"{shard_rows * values['size', 'index', 'bytes per row'][-1][1] / 2**30:.1f} GB of index a shard")
    ways = [by_id]
    blocks = dict(values.get(("routed", "one block", "us"), []))
    sizes = dict(values.get(("routed", "one block", "rows"), []))
    if args.radius == 3 and blocks:
        block = line_through([(sizes[rows], us) for rows, us in blocks.items()])(block_rows)
        ways.append(Way("B, by block", [(args.tables, block), (args.found, fetch)], args, False))
        print(f"B: {block_rows:,.0f} rows a block, {block:.1f} µs a block, "
              f"{shard_rows * args.tables / 4 * values['routed', 'routed', 'bytes per row'][-1][1] / 2**30:.1f} GB of table and index a shard")
    print(f"\n{'':28}" + "".join(f"{way.name:>16}" for way in ways))

    def line(name, number, text="{:,.1f}"):
        print(f"{name:28}" + "".join(f"{text.format(number(way)):>16}" for way in ways))

    line("messages a query", lambda way: 2 * way.tasks, "{:,.0f}")
    line("shards, ms a query", lambda way: way.shard / 1000, "{:,.3f}")
    line("coordinator, ms a query", lambda way: way.coordinator / 1000, "{:,.3f}")
    line("most queries per second", Way.most, "{:,.0f}")
    batched = args.shards * (search + args.task_shard / args.batch)
    print(f"{'  in batches of ' + str(args.batch):28}{1e6 * args.shards * args.cores / batched:>16,.0f}")
    rates = sorted({share * way.most() for way in ways for share in (0.2, 0.8)})
    for rate in rates:
        done = {way: way.latencies(rate) if rate < way.most() else [] for way in ways}
        for percent in (50, 99):
            line(f"{percent} % within ms at {rate:,.0f}/s",
                 lambda way: f"{done[way][len(done[way]) * percent // 100] / 1000:,.1f}" if done[way] else "overload", "{}")


if __name__ == "__main__":
    main()
