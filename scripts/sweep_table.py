"""The table of a sweep, and the figures that scripts/plot draws of it. Standard library only."""
import collections
import csv
import math
import re
import sqlite3
import statistics

UNITS = {"ps": (1, "time"), "ns": (1e3, "time"), "us": (1e6, "time"), "ms": (1e9, "time"), "s": (1e12, "time"),
         "B": (1, "size"), "KiB": (2**10, "size"), "MiB": (2**20, "size"), "GiB": (2**30, "size"),
         "MB/s": (1, "rate"), "GB/s": (1e3, "rate"), "TB/s": (1e6, "rate"),
         "Hz": (1, "frequency"), "kHz": (1e3, "frequency"), "MHz": (1e6, "frequency"), "GHz": (1e9, "frequency")}
SCALES = {"time": ["ps", "ns", "us", "ms", "s"], "size": ["B", "KiB", "MiB", "GiB"], "rate": ["MB/s", "GB/s", "TB/s"],
          "frequency": ["Hz", "kHz", "MHz", "GHz"]}
QUANTITY = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z/]+)")
FIXED_UNITS = {"end_time_ps": "ps"}

# Two-sided 95 % quantiles of Student's t by degrees of freedom; 1.96 beyond. Source: any table of them.
STUDENT = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
           2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


class Usage(Exception):
    pass


class Table:
    """The rows of a sweep: texts by column, the units of the columns where the file says them, and names for them."""

    def __init__(self, columns, rows, units, names=None):
        self.columns, self.rows, self.units, self.names = columns, rows, units, names or {}

    def called(self, column):
        return self.names.get(column, short(column))

    def need(self, *columns):
        for column in columns:
            if column not in self.columns:
                near = [it for it in self.columns if column.lower() in it.lower() or it.lower() in column.lower()]
                raise Usage(f"the table has no column {column}" + (f"; near it: {', '.join(near[:5])}" if near else
                                                                   "; --list shows them"))


def read_table(path):
    if path.is_dir():
        path = next((path / name for name in ("sweep.sqlite", "sweep.csv") if (path / name).is_file()), path)
    if not path.is_file():
        raise Usage(f"there is no table {path}")
    try:
        return read_csv(path) if path.suffix == ".csv" else read_sqlite(path)
    except (sqlite3.DatabaseError, csv.Error, UnicodeDecodeError) as error:
        raise Usage(f"{path} is no table of a sweep: {error}") from error


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if not rows or rows[0][:2] != ["point", "seed"]:
        raise Usage(f"{path} is no table of a sweep")
    units = {name: "ps" for name in rows[0] if name.rsplit(".", 1)[-1] in ("min", "mean", "p50", "p99", "max")}
    return Table(rows[0], [dict(zip(rows[0], row)) for row in rows[1:]], {**units, **FIXED_UNITS})


def read_sqlite(path):
    with sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True) as database:
        cursor = database.execute("SELECT * FROM runs ORDER BY rowid")
        columns = [it[0] for it in cursor.description]
        rows = [dict(zip(columns, ("" if cell is None else str(cell) for cell in row))) for row in cursor]
        units = dict(database.execute("SELECT name, unit FROM columns"))
    return Table(columns, rows, {**units, **FIXED_UNITS})


def quantity(text, unit=""):
    """(number in base units, kind) of a text; None for a word. A plain number has the kind of its unit."""
    try:
        factor, kind = UNITS.get(unit, (1, ""))
        if unit == "bytes":
            kind = "size"
        return float(text) * factor, kind
    except ValueError:
        pass
    match = QUANTITY.fullmatch(text)
    if match and match.group(2) in UNITS:
        factor, kind = UNITS[match.group(2)]
        return float(match.group(1)) * factor, kind
    return None


def unit_of(table, column):
    """The unit of plain numbers in a column. A name that ends in _ns or _ps says it too; latencies are in ps."""
    if re.search(r"\.(min|mean|p50|p99|max)$", column) and not re.search(r"_(ns|us|ms)\.", column):
        return "ps"
    named = re.search(r"_(ps|ns|us|ms|bytes)(?:$|\.)", column)
    return named.group(1) if named else table.units.get(column, "")


def mean_and_interval(values):
    if len(values) < 2:
        return values[0], 0
    student = STUDENT[len(values) - 2] if len(values) - 2 < len(STUDENT) else 1.96
    return statistics.fmean(values), student * statistics.stdev(values) / math.sqrt(len(values))


def groups(rows, by):
    """Rows by the value of a column, in the order of the table."""
    if by is None:
        return {"": rows}
    result = collections.OrderedDict()
    for row in rows:
        result.setdefault(row[by], []).append(row)
    return result


def front(points):
    """Those that no other one beats in one figure and equals in the other, by the first figure."""
    best, result = math.inf, []
    for point in sorted(points):
        if point[1] < best:
            result.append(point)
            best = point[1]
    return result


def shared_words(names):
    """What all names begin with, up to a dot; the name itself if it is alone."""
    if len(names) == 1:
        return names[0]
    heads = {name.rsplit(".", 1)[0] for name in names}
    return heads.pop() if len(heads) == 1 else ""


def short(column):
    """The last words of a pointer; a column without its unit, which stands beside it."""
    if column.startswith("/"):
        return " ".join(column.strip("/").split("/")[-2:]).replace("_", " ")
    return re.sub(r"_(ps|ns|us|ms)(?=$|\.)", "", column).replace("_", " ")
