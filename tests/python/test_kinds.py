"""Every kind of file that isthmus writes, through whatever is derived from the table of them."""

import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.python.conftest import Isthmus
from tests.python.samples import sample

from isthmus.results.kinds import KINDS, commands, names
from isthmus.show.output import Result
from isthmus.show.session import Session

WITH_RECORDS = names(lambda kind: kind.kept)
COMPARED = commands(lambda kind: kind.compared, "or")


def write(isthmus: Isthmus, name: str) -> Path:
    """The smallest file of a kind."""
    path = isthmus.folder / f"{name}.json"
    path.write_text(json.dumps(sample(name)))
    return path


def finish(isthmus: Isthmus, name: str, **settings: str) -> None:
    """A command that streams the records of a kind and ends with its file."""
    kind = KINDS[name]
    file = kind.file_class.model_validate(sample(name))
    session = Session("table", "never", True, False)
    with mock.patch.dict("os.environ", {**isthmus.environment, **settings}, clear=True):
        records: list[Any] = kind.records_in(vars(file))
        for record in records:
            session.stream(record)
        session.emit(Result(file, records), text="")


def test_what_is_run_is_kept_compared_and_reported_and_what_only_looks_is_not() -> None:
    run = {"run", "study", "probe", "hpcc", "hpcc-scale"}
    for of in (lambda kind: kind.kept, lambda kind: kind.compared, lambda kind: kind.reported):
        assert run <= set(names(of))
        assert not {"devices", "doctor", "config", "history", "compare", "platform"} & set(names(of))


@pytest.mark.parametrize("name", list(KINDS))
def test_a_file_is_compared_or_refused_in_one_line(isthmus: Isthmus, name: str) -> None:
    path = write(isthmus, name)
    done = isthmus("compare", path.name, path.name)
    if KINDS[name].compared:
        assert (done.returncode, done.stderr) == (0, "")
        assert "0 of 1 got worse" in done.stdout
    else:
        assert (done.returncode, done.stderr) == (2, f"error: {name}.json: expected a file of {COMPARED}, got {name}\n")


def test_a_schema_with_a_slip_gets_the_nearest(isthmus: Isthmus) -> None:
    (isthmus.folder / "a.json").write_text(json.dumps({**sample("probe"), "schema": "isthmus.prob/1"}))
    told = isthmus.refusal("compare", "a.json", "a.json")
    assert told == f"a.json: expected a file of {COMPARED}, got prob; help: did you mean the schema 'isthmus.probe/1'?"


@pytest.mark.parametrize("text", ["3", "[]", "{}", '{"schema": 3}', '{"schema": "isthmus.run/1", "rows": [3]}', "{"])
def test_what_is_no_file_of_results_is_refused_in_one_line(isthmus: Isthmus, text: str) -> None:
    (isthmus.folder / "a.json").write_text(text)
    told = isthmus.refusal("compare", "a.json", "a.json")
    assert told.startswith("a.json: ")
    assert "--debug" not in told


@pytest.mark.parametrize("name", list(KINDS))
def test_a_finished_run_is_kept_once_and_never_called_ended_early(isthmus: Isthmus, name: str) -> None:
    finish(isthmus, name)
    runs = isthmus.json("history")["runs"]
    assert [(run["kind"], run["complete"]) for run in runs] == ([(name, True)] if name in WITH_RECORDS else [])


@pytest.mark.parametrize("name", WITH_RECORDS)
def test_a_finished_run_is_whole_though_the_store_could_not_take_it_at_its_end(isthmus: Isthmus, name: str) -> None:
    store = isthmus.folder / "store.sqlite"
    store.write_text("this is no database\n")
    finish(isthmus, name, ISTHMUS_STORE=str(store))
    store.unlink()
    runs = isthmus.json("history", ISTHMUS_STORE=str(store))["runs"]
    streamed = KINDS[name].record != ""
    assert [(run["kind"], run["complete"]) for run in runs] == ([(name, True)] if streamed else [])


@pytest.mark.parametrize("name", WITH_RECORDS)
def test_a_run_of_the_history_is_shown_as_its_file_was(isthmus: Isthmus, name: str) -> None:
    finish(isthmus, name)
    shown = isthmus.json("history", "1")
    assert shown == json.loads(KINDS[name].file_class.model_validate(sample(name)).model_dump_json(by_alias=True))


@pytest.mark.parametrize("name", list(KINDS))
def test_a_report_shows_a_file_or_names_those_that_it_shows(isthmus: Isthmus, name: str) -> None:
    path = write(isthmus, name)
    done = isthmus("report", path.name)
    if KINDS[name].reported:
        assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
        assert f"{name}.json" in (isthmus.folder / "report.html").read_text()
    else:
        assert done.returncode == 2
        assert f"key 'schema': expected isthmus.run, isthmus.study, isthmus.probe, {'isthmus.hpcc'}, " in done.stderr
        assert done.stderr.endswith(f", got '{name}'\n")
