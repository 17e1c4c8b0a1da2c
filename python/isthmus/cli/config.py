"""`isthmus config show`: each key of the configuration and where its value comes from."""

from isthmus.base.configuration import KNOWN, resolve
from isthmus.base.numbers import as_written
from isthmus.show.output import Result, Table
from isthmus.show.session import Session

EXAMPLES = ["isthmus config show", "ISTHMUS_IMAGES=20 isthmus config show"]


def show(session: Session) -> None:
    """Show the defaults of options, and whether a file or the environment sets them.

    The command takes the value of an option --NAME from the command line, else from the variable ISTHMUS_NAME, else
    from the key NAME in ./isthmus.toml, else from the key NAME in isthmus/config.toml of the user's configuration
    folder.
    """
    from isthmus.records.listings import ConfigFile, ConfigurationEntry

    found = [ConfigurationEntry(name=name, value=resolve(name).value, origin=resolve(name).origin) for name in KNOWN]
    cells = [(item.name, "-" if item.value is None else as_written(item.value), item.origin) for item in found]
    session.emit(
        Result(
            ConfigFile(context=session.context(), settings=found),
            found,
            tables=[Table(("name", "value", "from"), cells)],
        )
    )
