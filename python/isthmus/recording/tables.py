"""A record as people read it: a verdict, and tables of kernels, transfers, devices and host calls."""

from isthmus.base.numbers import counted, figure, percent, seconds
from isthmus.records.recording import RecordedDevice, RecordFile
from isthmus.show.output import Table

_MOST = 20  # kernels of a program that has hundreds; the file has all


def verdict(head: RecordFile) -> list[str]:
    """Says how busy each device was, or that no device had work."""
    busy = [device for device in head.devices if device.commands]
    if not busy:
        calls = f"{counted(head.overhead.calls, 'call', grouped=True)} and " if head.overhead.calls else ""
        return [f"the program called OpenCL: {calls}no command that a device timed, measured"]
    return [f"{device.name}: {_shares(device)}, measured" for device in busy]


def _shares(device: RecordedDevice) -> str:
    def share(part: float) -> str:
        return percent(part / device.span_s if device.span_s > 0 else 0.0)

    return (
        f"busy {share(device.busy_s)} of {seconds(device.span_s)} (kernels {share(device.kernels_s)}, "
        f"transfers {share(device.transfers_s)}); idle {share(device.gap_host_s)} waiting for the host, "
        f"{share(device.gap_other_s)} with a command queued"
    )


def detail(head: RecordFile) -> list[str]:
    """Says what time the layer took, and what is missing from the record."""
    took = head.overhead
    lines = []
    if took.calls and took.p99_ns is not None:
        mean = f", {seconds(took.command_ns * 1e-9)} a command" if took.command_ns is not None else ""
        lines.append(
            f"the layer took {seconds(took.total_s)} in {counted(took.calls, 'call', grouped=True)}{mean} with asking "
            f"for its times (p99 of a call {seconds(took.p99_ns * 1e-9)}), {percent(took.share)} of "
            f"{seconds(head.span_s)}; "
            "what profiling takes the driver is not in that"
        )
    return lines + missing(head)


def missing(head: RecordFile) -> list[str]:
    """Says what the record does not hold."""
    lines = []
    if head.summed:
        single = head.overhead.calls - head.summed
        lines.append(
            f"of {head.overhead.calls:,} calls the record holds the first {single:,} one by one, and what all add up to"
            if single
            else f"the record holds what {head.summed:,} calls add up to, and none of them one by one"
        )
    for process in head.processes:
        who = f"process {process.process}"
        if not process.ended:
            lines.append(f"{who} was killed, crashed or left by _exit; what it had done until then is here")
        if process.unfinished:
            # The driver is only asked once more if the program ended in order.
            why = (
                "not complete when it ended" if process.ended else "the driver was not asked for them, complete or not"
            )
            lines.append(f"{who}: {counted(process.unfinished, 'command')} without times: {why}")
        if process.lost:
            lines.append(f"{who}: {process.lost} calls and times had no room in its journal and are lost")
        if process.extensions:
            lines.append(f"{who} asked for extensions whose calls are not recorded: {', '.join(process.extensions)}")
    return lines


def tables(head: RecordFile) -> list[Table]:
    """The tables that have rows."""
    return [table for table in (kernels(head), transfers(head), host(head)) if table.rows]


def kernels(head: RecordFile) -> Table:
    """A row for each kernel and device."""
    columns = ("kernel", "calls", "total", "mean", "p50", "p99", "work-items", *_device_column(head))
    cells = [
        (
            one.name,
            str(one.calls),
            seconds(one.total_s) if one.timed else "-",
            _span(one.mean_s),
            _span(one.p50_s),
            _span(one.p99_s),
            f"{one.work_items:,}",
            *_device_cell(head, one.device),
        )
        for one in head.kernels
    ]
    left = len(cells) - _MOST
    title = "kernels, time on the device" + (f"; {left} more are in the file" if left > 0 else "")
    numbers = frozenset({"calls", "total", "mean", "p50", "p99", "work-items"})
    return Table(columns, cells[:_MOST], numbers=numbers, title=title)


def transfers(head: RecordFile) -> Table:
    """A row for each kind of transfer and device."""
    columns = ("transfer", "calls", "bytes", "total", "p50", "GB/s", *_device_column(head))
    cells = [
        (
            one.what,
            str(one.calls),
            f"{one.bytes:,}",
            seconds(one.total_s) if one.timed else "-",
            _span(one.p50_s),
            figure(one.gb_per_s) if one.gb_per_s else "-",
            *_device_cell(head, one.device),
        )
        for one in head.transfers
    ]
    numbers = frozenset({"calls", "bytes", "total", "p50", "GB/s"})
    return Table(columns, cells, numbers=numbers, title="transfers, time on the device")


def host(head: RecordFile) -> Table:
    """A row for each kind of call that made no command."""
    cells = [(one.what, str(one.calls), seconds(one.total_s), seconds(one.longest_s)) for one in head.host]
    columns = ("host call", "calls", "total", "longest")
    return Table(columns, cells, numbers=frozenset(columns[1:]), title="host calls without a command")


def _device_column(head: RecordFile) -> tuple[str, ...]:
    return ("device",) if len(head.devices) > 1 else ()


def _device_cell(head: RecordFile, device: int | None) -> tuple[str, ...]:
    if len(head.devices) < 2:
        return ()
    if device is None:
        return ("-",)
    several = len(head.processes) > 1
    owner = f" (process {head.processes[head.devices[device].process].process})" if several else ""
    return (head.devices[device].name + owner,)


def _span(value: float | None) -> str:
    return "-" if value is None else seconds(value)
