"""Running the points of a sweep on the workers of a Dask cluster (`pip install 'isthmus[dask]'`)."""

import importlib
import logging
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from isthmus.base.build_info import build_info
from isthmus.base.errors import IsthmusError
from isthmus.sweeping.points import Point
from isthmus.sweeping.work import OnResult, outcome

ANSWERS_S = 10  # that a scheduler has to answer


def run_on_cluster(address: str, points: Sequence[Point], done: OnResult) -> None:
    """Runs points on all workers of the scheduler at `address`; if a worker ends, another one runs its points again.

    An IsthmusError where the scheduler does not answer, has no workers, or a worker has another version.
    """
    distributed = _distributed()
    # What it warns of when a worker is lost is no business of who gets every result all the same.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with closing(_client(distributed, address)) as client, client.as_current():
        _check_versions(client.run(version, on_error="return"), address)
        futures = [
            client.submit(outcome, point.experiment, key=f"isthmus-{number}-{point.key}", pure=False)
            for number, point in enumerate(points)
        ]
        numbers = {future.key: number for number, future in enumerate(futures)}
        for future in distributed.as_completed(futures):
            done(numbers[future.key], _result(future))


def version() -> tuple[str, str]:
    """The version of this installation, on whatever machine it is asked."""
    return build_info().version, build_info().commit


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise IsthmusError("--dask: Dask is not installed", hint="pip install 'isthmus[dask]'.") from None


def _client(distributed: Any, address: str) -> Any:
    try:
        # A Client that cannot even try to connect would complain for 20 s as it ends.
        distributed.comm.get_address_host_port(address)
        if address.startswith("tls:") and not distributed.Security().get_connection_args("client").get("ssl_context"):
            raise ValueError("Dask's configuration distributed.comm.tls names no certificates for TLS")
        return distributed.Client(address, timeout=ANSWERS_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise IsthmusError(f"--dask {address}: no scheduler answers: {_first_line(error)}") from None


def _check_versions(found: Mapping[str, tuple[str, str] | Exception], address: str) -> None:
    if not found:
        raise IsthmusError(f"--dask {address}: the scheduler has no workers; expected one at least")
    own = version()
    for worker, other in found.items():
        if other != own:
            # One that cannot say it has none, or one from before it could be asked.
            has = "no isthmus that tells its version" if isinstance(other, Exception) else f"isthmus {' '.join(other)}"
            raise IsthmusError(f"--dask {address}: worker {worker} has {has}, expected {' '.join(own)} as here")


def _result(future: Any) -> Mapping[str, object]:
    try:
        found: Mapping[str, object] = future.result()
    except Exception as error:
        raise IsthmusError(f"--dask: a point was lost: {_first_line(error)}") from error
    return found


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
