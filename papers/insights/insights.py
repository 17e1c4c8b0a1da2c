"""The thirteen insights of choi2019 (section 4) and gemieux2018 (section V.A), and what supports or contradicts each.

Evidence is a test of our values of published rows, of any paper: `ours[ID]` is a number, `ours.holds(ID)` a claim. A
true test speaks for the insight, a false one against it; with `means="against"` the other way round.
"""

from isthmus.reproduction.insights import Evidence, Insight

INSIGHTS = [
    Insight(
        "choi2019",
        1,
        "measure what a platform delivers, and never estimate with what is advertised",
        [
            Evidence(
                "Alpha Data: end to end below half of the advertised rate",
                lambda ours: ours["S000-035"] / ours["S000-031"] < 0.5,
            ),
            Evidence("AWS F1: likewise", lambda ours: ours["S000-087"] / ours["S000-020"] < 0.5),
            Evidence(
                "AWS F1: even a stream from pinned memory a tenth below it",
                lambda ours: ours["S000-088"] / ours["S000-020"] < 0.9,
            ),
            Evidence(
                "Xeon+FPGA v2: all links together a tenth below it",
                lambda ours: ours["S000-046"] / ours["S000-019"] < 0.9,
            ),
            Evidence(
                "small payloads up to two orders of magnitude below the plateau", lambda ours: ours.holds("S000-073")
            ),
        ],
    ),
    Insight(
        "choi2019",
        2,
        "private and shared memory can each be ahead: the reuse r of the device's memory decides",
        [
            Evidence(
                "shared memory (Xeon+FPGA v1) is read faster than data come to Alpha Data",
                lambda ours: ours["S000-044"] > ours["S000-035"],
            ),
            Evidence(
                "Alpha Data's own memory is read faster than shared memory",
                lambda ours: ours["S000-038"] > ours["S000-044"],
            ),
            Evidence("between the two lies a threshold above one", lambda ours: ours["S000-074"] > 1),
            Evidence("one exists for AWS F1 and Xeon+FPGA v2", lambda ours: ours.holds("S000-076")),
        ],
    ),
    Insight(
        "choi2019",
        3,
        "shared memory has the lower latency, and QPI a lower one than PCIe",
        [
            Evidence(
                "CAPI's access is shorter than Alpha Data's transfer",
                lambda ours: ours["S000-066"] < 1000 * ours["S000-064"],
            ),
            Evidence("QPI's access is shorter than CAPI's", lambda ours: ours["S000-067"] < ours["S000-066"]),
            Evidence(
                "Xeon+FPGA v2's access is shorter than F1's transfer",
                lambda ours: ours["S000-068"] < 1000 * ours["S000-069"],
            ),
        ],
    ),
    Insight(
        "choi2019",
        4,
        "communication is critical to some applications only: the ratio of computation to communication decides",
        [
            Evidence("a product of matrices takes as many cycles on each board", lambda ours: ours.holds("S000-083")),
            Evidence("of a matrix and a vector the board decides, by iterations", lambda ours: ours["S000-075"] > 1),
        ],
    ),
    Insight(
        "choi2019",
        5,
        "coherence of CPU and FPGA memory is promising, but impractical for now",
        [
            Evidence("under 5 % of the on-chip memory is coherent", lambda ours: ours.holds("S000-030")),
            Evidence("a hit of the coherent cache takes over two cycles", lambda ours: ours["S000-054"] > 2),
            Evidence(
                "a circuit that fetches lines into the host's cache makes a core faster",
                lambda ours: ours["S003-061"] > 1,
                means="against",
            ),
        ],
    ),
    Insight(
        "choi2019",
        6,
        "much room is left between what is reached and what the channel can carry",
        [
            Evidence("Alpha Data without allocation and copy below 8 GB/s", lambda ours: ours["S000-033"] < 8),
            Evidence(
                "AWS F1 without allocation and copy below 8 GB/s, as the paper says",
                lambda ours: ours["S000-049"] * ours["S000-033"] < 8,
            ),
            Evidence(
                "a pipeline of the stack gets twice as much", lambda ours: ours["S000-088"] > 2 * ours["S000-087"]
            ),
        ],
    ),
    Insight(
        "choi2019",
        7,
        "the coherent cache could be greatly improved",
        [
            Evidence(
                "translation and reordering double what a hit takes",
                lambda ours: ours["S000-054"] > 1.9 * ours["S000-056"],
            ),
            Evidence("the next generation hits sooner", lambda ours: ours["S003-044"] < ours["S000-050"]),
        ],
    ),
    Insight(
        "gemieux2018",
        1,
        "for the lowest latency take QPI",
        [
            Evidence(
                "a line over QPI, in the cache, before one over PCIe", lambda ours: ours["S003-044"] < ours["S003-045"]
            ),
            Evidence(
                "of writes in a cold cache, those over PCIe end first up to some lines",
                lambda ours: ours["S003-032"] > 1,
                means="against",
            ),
        ],
    ),
    Insight(
        "gemieux2018",
        2,
        "QPI is faster than one PCIe link up to 64 KB, and both PCIe links reach up to 16 GB/s",
        [
            Evidence(
                "QPI ahead of a PCIe link up to 64 KiB, of writes in a cold cache", lambda ours: ours.holds("S003-046")
            ),
            Evidence("both PCIe links reach 16 GB/s together, within 5 %", lambda ours: ours["S003-047"] > 0.95 * 16),
        ],
    ),
    Insight(
        "gemieux2018",
        3,
        "the automatic choice among all links is ahead of PCIe alone in most cases",
        [
            Evidence(
                "its throughput is above that of two PCIe links", lambda ours: ours["S003-039"] > 2 * ours["S003-030"]
            ),
        ],
    ),
    Insight(
        "gemieux2018",
        4,
        "data that go on to another machine may want a card with a network port of its own",
        [
            Evidence(
                "a packet through the host takes longer than one past it, at a port of the card (stacc, Stratix V)",
                lambda ours: ours["S001-063"] > 0,
            ),
            Evidence(
                "encrypted on the way, packets past the host come back in less than half the time",
                lambda ours: ours["S001-060"] / ours["S001-057"] < 0.5,
            ),
            Evidence("and no fewer of them", lambda ours: ours["S001-059"] / ours["S001-056"] > 1),
        ],
    ),
    Insight(
        "gemieux2018",
        5,
        "the FPGA's cache is an interface, and no storage for circuits",
        [
            Evidence(
                "a hit of it takes over ten times as many cycles as block RAM",
                lambda ours: ours["S003-024"] > 10 * ours["S003-049"],
            ),
        ],
    ),
    Insight(
        "gemieux2018",
        6,
        "it is best used within the memory that is shared, and for memory elsewhere a card with DMA",
        [
            Evidence(
                "Xeon+FPGA v2 reads the memory that it shares faster than data come to AWS F1, end to end",
                lambda ours: ours["S000-046"] > ours["S000-087"],
            ),
            Evidence(
                "a line of it comes sooner than F1's DMA has moved one",
                lambda ours: ours["S000-068"] < 1000 * ours["S000-069"],
            ),
            Evidence(
                "F1, a card with DMA, reads memory elsewhere, its own, faster than Xeon+FPGA v2 reads shared memory",
                lambda ours: ours.holds("S000-076"),
            ),
        ],
    ),
]
