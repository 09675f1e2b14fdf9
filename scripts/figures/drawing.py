"""The table of a sweep, and the ways to draw it that figures/plot has. Standard library only, and a pyplot given."""
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


# --- Drawing ---

ORDER = ["none", "dma_buffer_boundary", "primitive_boundary", "triangle_boundary", "pixel_boundary",
         "dispatch_boundary", "thread_group_boundary", "thread_boundary", "shader_boundary"]  # coarse to fine, where words are these

# How a figure looks: small serifless text, thin axes, colours that stay apart for colour-blind readers (Okabe, Ito).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
LINES = ["-", "--", ":", "-."]
MOST_INSIDE = 4  # entries of a legend inside the axes
MOST_JOINED = 40  # points that a line goes through
MOST_NAMED = 10  # points that have their names beside them
MOST_TICKS = 8   # values that are all ticks of a logarithmic axis
STYLE = {"font.family": "sans-serif", "font.size": 8, "axes.titlesize": 9, "axes.labelsize": 8, "legend.fontsize": 7,
         "xtick.labelsize": 7, "ytick.labelsize": 7, "axes.linewidth": 0.6, "lines.linewidth": 1.2,
         "lines.markersize": 4, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
         "grid.linewidth": 0.4, "grid.color": "#DDDDDD", "axes.axisbelow": True, "legend.frameon": False,
         "svg.hashsalt": "fenceline", "svg.fonttype": "none", "savefig.dpi": 300, "figure.constrained_layout.use": True}
PANEL = (3.3, 2.3)  # [inches]: a column of a paper

class Axis:
    """The values of a column as numbers on an axis, with a fitting unit."""

    def __init__(self, table, columns):
        self.unit = {column: unit_of(table, column) for column in columns}
        found = [quantity(row[column], self.unit[column]) for column in columns for row in table.rows if row[column]]
        self.words = any(it is None for it in found)
        self.factor, self.suffix = 1, ""
        if self.words:
            texts = dict.fromkeys(row[column] for column in columns for row in table.rows if row[column])
            known = [word for word in ORDER if word in texts]
            self.ticks = known + [word for word in texts if word not in known]
            return
        kinds = {kind for _, kind in found if kind}
        largest = max((abs(value) for value, _ in found), default=0)
        if len(kinds) == 1:
            for name in SCALES[kinds.pop()]:
                if largest >= UNITS[name][0] or not self.suffix:
                    self.factor, self.suffix = UNITS[name][0], name

    def number(self, row, column):
        text = row[column]
        if text == "":
            return None
        if self.words:
            return self.ticks.index(text)
        return quantity(text, self.unit[column])[0] / self.factor

    def label(self, text):
        return f"{text} [{self.suffix.replace('us', 'µs')}]" if self.suffix else text

    def dress(self, axis, values=(), logarithmic=False, ticks=True):
        """Scale of an axis that shows these values, and a tick for each where they are few."""
        if self.words:
            axis.set_ticks(range(len(self.ticks)))
            axis.set_ticklabels([nice(word) for word in self.ticks])
            return
        which = axis.axis_name
        positive = [value for value in values if value > 0]
        if logarithmic and positive:
            base = 2 if self.suffix in SCALES["size"] else 10
            if min(values) > 0:
                getattr(axis.axes, f"set_{which}scale")("log", base=base)
            else:  # nothing has a place on it, too
                getattr(axis.axes, f"set_{which}scale")("symlog", base=base, linthresh=min(positive), linscale=0.4)
                if which == "y" and min(values) == 0:
                    axis.axes.set_ylim(bottom=0)
            if ticks and which == "x" and len(set(values)) <= MOST_TICKS:
                axis.set_ticks(sorted(set(values)), [f"{value:g}" for value in sorted(set(values))])
                axis.set_ticks([], minor=True)
        elif which == "y":
            axis.axes.set_ylim(bottom=0, top=max(positive, default=1) * 1.08)
        if not self.suffix and not logarithmic and max(values, default=0) < 20:
            axis.get_major_locator().set_params(integer=True)


def nice(word):
    return word.replace("_boundary", "").replace("_", " ")


def add_legend(axes, handles):
    """A legend for lines that are there already, beside the axes where there are many."""
    if len(handles) < 2:
        return
    beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if len(handles) > MOST_INSIDE else {}
    axes.legend(handles, [handle.get_label() for handle in handles], **beside)


def series(rows, across, up, x, column):
    """(place, mean, half of the interval) in the order of the places."""
    at = collections.defaultdict(list)
    for row in rows:
        place, number = across.number(row, x), up.number(row, column)
        if place is not None and number is not None:
            at[place].append(number)
    return [(place, *mean_and_interval(at[place])) for place in sorted(at)]


def draw_lines(pyplot, axes, table, x, columns, by=None, labels=None, log="", legend=True):
    """Columns have line styles of their own where there are groups, and else colours. Returns what the groups are.
    Without `legend` they are named elsewhere."""
    across, up = Axis(table, [x]), Axis(table, columns)
    shared = shared_words([table.called(column) for column in columns])
    values, tops, places, handles = [], [], set(), []
    line = pyplot.matplotlib.lines.Line2D
    for group, (value, rows) in enumerate(groups(table.rows, by).items()):
        for place, column in enumerate(columns):
            figures = series(rows, across, up, x, column)
            mark = group if by else place
            colour, marker = COLOURS[mark % len(COLOURS)], MARKERS[mark % len(MARKERS)]
            style = LINES[place % len(LINES)] if by else "--" if across.words else "-"
            many = len(figures) > MOST_JOINED  # points that were drawn have no order worth a line
            axes.errorbar([it[0] for it in figures], [it[1] for it in figures], yerr=[it[2] for it in figures],
                          capsize=2, color=colour, marker=marker, linestyle="none" if many else style, elinewidth=0.8,
                          markeredgewidth=0, markersize=2 if many else None)
            values += [it[1] for it in figures]
            tops += [it[1] + it[2] for it in figures]
            places |= {it[0] for it in figures}
            if not by and len(columns) > 1:
                name = labels[place] if labels else table.called(column)[len(shared):].strip(". ")
                handles.append(line([], [], color=colour, marker=marker, linestyle=style, label=name))
        if by:
            handles.append(line([], [], color=colour, marker=marker, linestyle="-", label=f"{table.called(by)} {nice(value)}"))
    styles = [line([], [], color="#444444", linestyle=LINES[place % len(LINES)],
                   label=table.called(column)[len(shared):].strip(". ")) for place, column in enumerate(columns)]
    across.dress(axes.xaxis, sorted(places), "x" in log)
    up.dress(axes.yaxis, values if "y" in log else tops, "y" in log)
    if across.words and sum(len(nice(word)) for word in across.ticks) > 30:
        pyplot.setp(axes.get_xticklabels(), rotation=30, horizontalalignment="right", rotation_mode="anchor")
    axes.set_xlabel(across.label(table.called(x)))
    axes.set_ylabel(up.label(shared))
    styles = styles if by and len(columns) > 1 else []
    add_legend(axes, [*handles, *styles] if legend or not by else styles)
    return handles


def points_of(table, columns, by, over=()):
    """(mean of each column, value of `by`) of each point; those that differ in the pointers `over` alone are one."""
    axes = [Axis(table, [column]) for column in columns]
    pointers = [column for column in table.columns if column.startswith("/") and column not in over]
    points = collections.defaultdict(list)
    for row in table.rows:
        points[tuple(row[pointer] for pointer in pointers) if over else row["point"]].append(row)
    for rows in points.values():
        figures = []
        for axis, column in zip(axes, columns):
            numbers = [it for it in (axis.number(row, column) for row in rows) if it is not None]
            figures.append(statistics.fmean(numbers) if numbers else None)
        if None not in figures:
            yield figures, rows[0][by] if by else ""


def draw_pareto(pyplot, axes, table, columns, by, log="", over=()):
    """All points, and the front of the best ones, which have a ring."""
    found = list(points_of(table, columns, by, over))
    order = list(dict.fromkeys(value for _, value in found))
    order = [it for it in ORDER if it in order] + [it for it in order if it not in ORDER]
    named = bool(by) and len(found) == len(order) <= MOST_NAMED
    for place, value in enumerate(order):
        mine = [figures for figures, of in found if of == value]
        axes.scatter([it[0] for it in mine], [it[1] for it in mine], s=16, linewidths=0, zorder=3,
                     color=COLOURS[place % len(COLOURS)], marker=MARKERS[place % len(MARKERS)],
                     label=nice(value) if by else "points")
        if named:
            axes.annotate(nice(value), mine[0], xytext=(5, 5), textcoords="offset points", fontsize=7, zorder=5,
                          rotation=35, horizontalalignment="left", verticalalignment="bottom", rotation_mode="anchor")
    best = front([tuple(figures) for figures, _ in found])
    axes.step([it[0] for it in best], [it[1] for it in best], where="post", color="#666666", linewidth=0.9, zorder=2)
    axes.scatter([it[0] for it in best], [it[1] for it in best], s=44, facecolors="none", edgecolors="#666666",
                 linewidths=0.8, zorder=4)
    line = pyplot.matplotlib.lines.Line2D
    for place, axis in enumerate((axes.xaxis, axes.yaxis)):
        scale = Axis(table, [columns[place]])
        if "xy"[place] in log:
            scale.dress(axis, [figures[place] for figures, _ in found], True, ticks=False)
            axis.set_minor_formatter(pyplot.matplotlib.ticker.NullFormatter())
        axis.set_label_text(scale.label(table.called(columns[place])))
    if named:
        axes.margins(x=0.18, y=0.2)
    points = [] if named else axes.get_legend_handles_labels()[0]
    axes.legend(handles=[*points, line([], [], color="#666666", marker="o", markerfacecolor="none", markersize=6,
                                       label="front")])
