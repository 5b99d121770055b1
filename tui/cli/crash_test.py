"""`verbatim crash-test`: the real program in a real terminal, killed at random moments.

The screen is started in a pseudo-terminal, asked through it, answered by a loopback server whose
every byte is known, killed with SIGKILL, and started again. Nothing of the user's is touched.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tui.cli.crashing.trial import Report, Trials
from tui.core.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, metavar="S", help="the moments; default: by chance")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many at a time")
    parser.add_argument(
        "--within",
        type=float,
        default=0.1,
        metavar="SECONDS",
        help="how long before the kill a byte must have arrived to be due (default 0.1)",
    )
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Kill; 0 when everything held, 1 when something did not."""
    if arguments.kills < 1 or arguments.jobs < 1:
        raise UsageError("--kills and --jobs are at least 1")
    seed = arguments.seed if arguments.seed is not None else random.randrange(2**32)
    jobs = min(arguments.jobs, arguments.kills)
    shares = [arguments.kills // jobs + (job < arguments.kills % jobs) for job in range(jobs)]
    with tempfile.TemporaryDirectory(prefix="verbatim-crash-") as folder:

        def work(job: int) -> Report:
            own = Path(folder) / str(job)
            own.mkdir()
            return Trials(own, seed + job, arguments.within).run(shares[job])

        with ThreadPoolExecutor(jobs) as pool:
            reports = list(pool.map(work, range(jobs)))
    _print(_summed(reports), seed, arguments.json)
    return 1 if any(report.failures for report in reports) else 0


def _summed(reports: list[Report]) -> Report:
    return Report(
        kills=sum(report.kills for report in reports),
        seconds=max(report.seconds for report in reports),
        failures=[words for report in reports for words in report.failures],
        moments=sum((report.moments for report in reports), Counter()),
        bytes_due=sum(report.bytes_due for report in reports),
        worst_lag=max(report.worst_lag for report in reports),
        longest_start=max(report.longest_start for report in reports),
    )


def _print(report: Report, seed: int, as_json: bool) -> None:
    if as_json:
        plain = {
            "kills": report.kills,
            "seed": seed,
            "seconds": round(report.seconds, 3),
            "moments": dict(report.moments),
            "bytes_due": report.bytes_due,
            "worst_lag": round(report.worst_lag, 4),
            "longest_start": round(report.longest_start, 3),
            "failures": report.failures,
        }
        print(json.dumps(plain))
        return
    moments = ", ".join(f"{count} {words}" for words, count in report.moments.most_common())
    print(f"{report.kills} kills in {report.seconds:.1f} s (seed {seed}): {moments}")
    print(
        f"{report.bytes_due} bytes were due on the disk; the oldest byte that is not there had been"
        f" sent {report.worst_lag * 1000:.0f} ms before its kill"
    )
    for words in report.failures:
        print(f"FAILED {words}", file=sys.stderr)
    print("everything held" if not report.failures else f"{len(report.failures)} failures")
