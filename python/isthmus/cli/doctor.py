"""`isthmus doctor`: what is installed, what is missing, and what to do about it."""

from isthmus.base.errors import AnswerIsNoError
from isthmus.show.output import Result, Table
from isthmus.show.session import Session

EXAMPLES = ["isthmus doctor", "isthmus doctor --json -"]


def doctor(session: Session) -> None:
    """Check what is installed and what is missing, and say what to do about it.

    The exit code is 1 if something is missing without which a command fails.
    """
    from isthmus.cli.checks import all_checks
    from isthmus.records.listings import DoctorFile

    checks = all_checks()
    words = {True: "found", False: "MISSING"}
    cells = [
        (check.name, words[check.found] if check.found or check.needed else "absent", check.detail, check.advice or "-")
        for check in checks
    ]
    missing = [check.name for check in checks if check.needed and not check.found]
    verdict = f"missing: {', '.join(missing)}" if missing else "everything needed is here"
    session.emit(
        Result(
            DoctorFile(context=session.context(), checks=checks),
            checks,
            verdict=[verdict],
            tables=[Table(("what", "state", "detail", "what to do"), cells)],
        )
    )
    if missing:
        raise AnswerIsNoError(f"missing: {', '.join(missing)}")
    photographs = any(check.name == "photographs" and check.found for check in checks)
    session.next("isthmus study image-filter" if photographs else "isthmus run suffix-sum --on model:aws-f1")
