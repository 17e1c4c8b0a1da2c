"""What is said of a run whose measurements spread."""

from collections.abc import Sequence

from isthmus.cli.session import Session

NOISY = 0.05  # (p75 - p25) / median


def warn_if_noisy(session: Session, spreads: Sequence[tuple[str, float]]) -> None:
    """One line for all records, by what they measure and their spread, that names the worst one and what to do."""
    noisy = [one for one in spreads if one[1] > NOISY]
    if noisy:
        name, worst = max(noisy, key=lambda one: one[1])
        session.warn(
            f"{len(noisy)} of {len(spreads)} records spread by more than {NOISY:.0%} ({name}: {worst:.0%}); "
            "close other programs or raise --repeat"
        )
