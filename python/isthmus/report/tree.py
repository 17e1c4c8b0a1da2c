"""The decision tree of min2019 (figure 5) as a drawing in which the path of a transfer is lit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isthmus.base.groups import grouped_by
from isthmus.base.sizes import format_size
from isthmus.judging.coherence import FIGURE_5, Answer, Question
from isthmus.records.advising import AdviseBranch

# Pixels. Questions stand in a column; answers with a method lead to the right, others down to the next question; one
# that passes a question over goes down on the left.
WIDTH, LEFT, BOX_WIDTH, BOX, LEAF, GAP = 816, 150, 350, 30, 30, 40
METHOD_X, METHOD_WIDTH = 752, 58
SIDE = 14  # of what passes on the left
DOWN = (22, 196)  # from a box's left, of answers that go down


@dataclass(frozen=True)
class Box:
    """A question, or a method that an answer ends in."""

    x: float
    y: float
    width: float
    text: str
    lit: bool


@dataclass(frozen=True)
class Edge:
    """An answer: its line as a path of SVG, and the place of its words."""

    line: str
    x: float
    y: float
    text: str
    lit: bool


@dataclass(frozen=True)
class Tree:
    """A drawing of the tree, lit for the transfers that take the same path."""

    title: str
    path: str
    method: str
    height: float
    questions: list[Box]
    methods: list[Box]
    edges: list[Edge]
    width: float = WIDTH


def trees(branches: Sequence[AdviseBranch]) -> list[Tree]:
    """A drawing for each path that any transfer takes."""
    by_path = grouped_by(lambda branch: tuple(branch.path), branches)
    return [_tree(path, found) for path, found in by_path.items()]


def _tree(path: tuple[str, ...], branches: Sequence[AdviseBranch]) -> Tree:
    order = _in_order(FIGURE_5)
    tops = _tops(order)
    lit = dict(_walk(path))
    questions, methods, edges = [], [], []
    for question in order:
        top = tops[id(question)]
        given = lit.get(id(question))
        questions.append(Box(LEFT, top, BOX_WIDTH, question.asks, given is not None))
        right = [one for one in question.answers if isinstance(one.then, str)]
        down = [one for one in question.answers if not isinstance(one.then, str)]
        for number, answer in enumerate(right):
            level = top + BOX / 2 + number * LEAF
            methods.append(Box(METHOD_X, level - BOX / 2 + 2, METHOD_WIDTH, str(answer.then), answer is given))
            edges.append(_right(answer, top + BOX / 2, level, answer is given))
        for number, answer in enumerate(down):
            assert isinstance(answer.then, Question)
            passes = order.index(answer.then) > order.index(question) + 1
            make = _past if passes else _down
            edges.append(make(answer, top, tops[id(answer.then)], number, answer is given))
    edges.sort(key=lambda edge: edge.lit)  # what is lit lies above
    last = order[-1]
    height = tops[id(last)] + max(BOX, LEAF * len(last.answers)) + 6
    return Tree(_title(branches), "; ".join(path), branches[0].method, height, questions, methods, edges)


def _in_order(root: Question) -> list[Question]:
    """The questions, each once, after all questions that lead to it."""
    found: list[Question] = []

    def visit(question: Question) -> None:
        if not any(question is one for one in found):
            for answer in reversed(question.answers):
                if isinstance(answer.then, Question):
                    visit(answer.then)
            found.append(question)

    visit(root)
    return found[::-1]


def _tops(order: Sequence[Question]) -> dict[int, float]:
    tops, y = {}, 4.0
    for question in order:
        tops[id(question)] = y
        leaves = sum(isinstance(answer.then, str) for answer in question.answers)
        y += max(BOX, LEAF * leaves) + GAP
    return tops


def _walk(path: Sequence[str]) -> Iterator[tuple[int, Answer]]:
    """The questions of a path, by id, with the answers that it gives, as far as the tree here has them."""
    place: str | Question = FIGURE_5
    for says in path:
        answer = next((one for one in place.answers if one.says == says), None) if isinstance(place, Question) else None
        if answer is None:
            return
        yield id(place), answer
        place = answer.then


def _right(answer: Answer, begin: float, level: float, lit: bool) -> Edge:
    edge = LEFT + BOX_WIDTH
    corner = edge + 10 if level > begin else edge
    bend = f"M{corner} {begin}V{level}" if level > begin else f"M{edge} {begin}"
    return Edge(f"{bend}H{METHOD_X}", edge + 16, level - 5, answer.says, lit)


def _down(answer: Answer, top: float, end: float, number: int, lit: bool) -> Edge:
    x = LEFT + DOWN[number]
    return Edge(f"M{x} {top + BOX}V{end}", x + 6, end - GAP / 2 + 4, answer.says, lit)


def _past(answer: Answer, top: float, end: float, _number: int, lit: bool) -> Edge:
    begin, into = top + BOX / 2, end + BOX / 2
    return Edge(f"M{LEFT} {begin}H{SIDE}V{into}H{LEFT}", SIDE + 6, top + BOX + GAP / 2, answer.says, lit)


def _title(branches: Sequence[AdviseBranch]) -> str:
    said = [
        f"transfer {one.transfer}, {one.direction}, {format_size(round(one.bytes))}"
        + ("" if one.direction == "to-host" else f", the CPU {one.cpu}, {one.order}")
        for one in branches
    ]
    return "; ".join(dict.fromkeys(said))
