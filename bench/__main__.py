"""`make bench`: the server under load, a flood of chat at one table, then the relay.

`ARGS=flood`, `ARGS=relay`: one of these alone. `ARGS=rules`: the rules alone.
`ARGS=scenes`: what scenes cost. `ARGS=peers`: other people's servers beside ours.
`ARGS=curves`: plots of the cost over tables, connections and the log.
`ARGS=page`: write the newest results into docs/performance.md.
`ARGS=cluster`: a server of several nodes compared with a single process. `ARGS=plan`: the machines
that very many people need. `ARGS=rest`: a quiet server, and starting one. `ARGS=restart`: starting
one with a long history. `ARGS="hour --seconds 3600"`: whether anything grows in a long run.
`ARGS=crowd`: very many connections (`ARGS="crowd --scenes watched"`: one
scene).
"""

from __future__ import annotations

import argparse
import sys

from bench import (
    cluster,
    crowd,
    curves,
    flood,
    hour,
    onu_rules,
    page,
    peers,
    plan,
    relay,
    rest,
    restart,
    rules,
    run,
    scenes,
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description="Measure how fast it is.")
    parser.add_argument(
        "what",
        nargs="?",
        choices=(
            *("server", "flood", "relay", "rules", "scenes", "peers", "curves", "page"),
            *("cluster", "plan", "rest", "restart", "crowd", "hour"),
        ),
        default="server",
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each measurement is")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    server = parser.add_argument_group("server")
    server.add_argument(
        "--tables", type=int, nargs="+", default=[50, 100, 200], help="tables of four at once"
    )
    server.add_argument(
        "--games", nargs="+", choices=run.GAMES, default=list(run.GAMES), help="which"
    )
    server.add_argument("--rate", type=float, default=500.0, help="actions a second, for latency")
    parser.add_argument("--scenes", nargs="+", choices=crowd.BARS, default=[], help="of crowd")
    told = parser.parse_args()
    if told.what == "rest":
        return rest.main(told.seconds, told.rounds)
    if told.what == "restart":
        return restart.main(told.rounds)
    if told.what == "hour":
        return hour.main(told.seconds)
    if told.what == "crowd":
        return crowd.main(told.seconds, told.scenes)
    if told.what == "rules":
        return rules.main(told.seconds, told.rounds) or onu_rules.main(told.seconds, told.rounds)
    if told.what == "scenes":
        return scenes.main(told.seconds)
    if told.what == "page":
        return page.main()
    if told.what == "flood":
        return flood.main(told.seconds, told.rounds)
    options = run.Options(
        tables=tuple(told.tables),
        games=tuple(told.games),
        seconds=told.seconds,
        rate=told.rate,
        rounds=told.rounds,
    )
    if told.what == "cluster":
        return cluster.main(options)
    if told.what == "peers":
        return peers.main(options)
    if told.what == "curves":
        return curves.main(options)
    if told.what == "plan":
        return plan.main(options)
    if told.what == "relay":
        return relay.main(options)
    # A bar that is not met does not end the rest.
    codes = (run.main(options), flood.main(told.seconds, told.rounds), relay.main(options))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
