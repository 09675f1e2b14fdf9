import type { Run } from './data';

export const kRuler = 24, kRowHeight = 18, kChartHeight = 34;

/// A line of the timeline: a group's name, a row of spans and events, or the chart of a counter.
export interface Lane {
  kind: 'group' | 'row' | 'chart';
  index: number; ///< of the row or counter; -1 for a group
  label: string;
  y: number; ///< below the ruler; of an unpinned lane, before scrolling
  height: number;
  pinned: boolean;
}

/// Places the lanes: pinned ones first, which do not scroll, then the groups.
export class Layout {
  lanes: Lane[] = [];
  pinnedHeight = 0;
  height = 0; ///< of all lanes
  filter = '';
  readonly pinnedRows = new Set<number>();
  readonly pinnedCharts = new Set<number>();
  private rowLanes: (Lane | undefined)[] = [];
  private chartLanes: (Lane | undefined)[] = [];

  constructor(private readonly run: Run) {
    this.place();
  }

  place(): void {
    this.lanes = [];
    this.rowLanes = [];
    this.chartLanes = [];
    this.height = 0;
    if (this.pinnedRows.size + this.pinnedCharts.size > 0) this.add('group', -1, 'Pinned', true);
    this.placeRows(true);
    this.pinnedHeight = this.height;
    this.placeRows(false);
  }

  laneOfRow(row: number): Lane | undefined {
    return this.rowLanes[row];
  }
  laneOfChart(counter: number): Lane | undefined {
    return this.chartLanes[counter];
  }

  /// Name of a row with its group.
  rowName(row: number): string {
    const { group, name } = this.run.meta.rows[row];
    return group ? `${group} / ${name}` : name;
  }

  /// Pins a lane or lets it go.
  toggle(lane: Lane): void {
    const pins = lane.kind === 'chart' ? this.pinnedCharts : this.pinnedRows;
    if (lane.kind !== 'group' && !pins.delete(lane.index)) pins.add(lane.index);
    this.place();
  }

  /// Pins all that the filter leaves; with `pin` false nothing stays pinned.
  pinShown(pin: boolean): void {
    const shown = this.lanes.filter(lane => lane.kind !== 'group');
    this.pinnedRows.clear();
    this.pinnedCharts.clear();
    for (const lane of pin ? shown : []) {
      (lane.kind === 'chart' ? this.pinnedCharts : this.pinnedRows).add(lane.index);
    }
    this.place();
  }

  private placeRows(pinned: boolean): void {
    const words = this.filter.toLowerCase().split(/\s+/).filter(word => word);
    const shown = (name: string) => words.every(word => name.toLowerCase().includes(word));
    let group = pinned ? null : '';
    const open = (name: string) => {
      if (group !== null && group !== name) this.add('group', -1, group = name, false);
    };
    this.run.counters.forEach((counter, index) => {
      if (this.pinnedCharts.has(index) !== pinned) return;
      if (!pinned && !shown(`${counter.group} ${counter.name}`)) return;
      open(counter.group);
      this.chartLanes[index] = this.add('chart', index, counter.name, pinned);
    });
    this.run.meta.rows.forEach((row, index) => {
      if (this.pinnedRows.has(index) !== pinned) return;
      if (!pinned && !shown(`${row.group} ${row.name}`)) return;
      open(row.group);
      // The rows below the first one of an object hold what is nested in it.
      const label = row.depth && !pinned ? '' : row.name;
      this.rowLanes[index] = this.add('row', index, label, pinned);
    });
  }

  private add(kind: Lane['kind'], index: number, label: string, pinned: boolean): Lane {
    const height = kind === 'chart' ? kChartHeight : kRowHeight;
    const lane = { kind, index, label, y: this.height, height, pinned };
    this.lanes.push(lane);
    this.height += height;
    return lane;
  }
}
