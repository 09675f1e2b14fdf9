import type {Run} from './data';

/// Feet of what is above the lanes: the strip with the whole run, and the ruler.
export const kStrip = 24, kRuler = 48;
export const kRowHeight = 18, kChartHeight = 34;

/// A line of the timeline: a group's name, a row of spans and events, or the chart of a counter.
export interface Lane {
  kind: 'group'|'row'|'chart';
  index: number;  ///< of the row or counter; -1 for a group
  label: string;
  y: number;  ///< below the ruler; of an unpinned lane, before scrolling
  height: number;
  pinned: boolean;
}

/// Places the lanes: pinned ones first, which do not scroll; then the story, the charts and the
/// rows.
export class Layout {
  lanes: Lane[] = [];
  pinnedHeight = 0;
  height = 0;  ///< of all lanes
  private filter = '';
  readonly pinnedRows = new Set<number>();
  readonly pinnedCharts = new Set<number>();
  private rowLanes: (Lane|undefined)[] = [];
  private chartLanes: (Lane|undefined)[] = [];

  constructor(private readonly run: Run) {
    this.place();
  }

  private place(): void {
    this.lanes = [];
    this.rowLanes = [];
    this.chartLanes = [];
    this.height = 0;
    if (this.pinnedRows.size + this.pinnedCharts.size > 0) this.add('group', -1, 'Pinned', true);
    this.placeRows(true);
    this.pinnedHeight = this.height;
    this.placeRows(false);
  }

  laneOfRow(row: number): Lane|undefined {
    return this.rowLanes[row];
  }
  laneOfChart(counter: number): Lane|undefined {
    return this.chartLanes[counter];
  }

  /// Name of a row with its group.
  rowName(row: number): string {
    const {group, name} = this.run.meta.rows[row];
    return group ? `${group} / ${name}` : name;
  }

  /// Leaves the rows whose group and name have all words of a text; pinned rows stay.
  setFilter(text: string): void {
    this.filter = text;
    this.place();
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
    const placeChart = (index: number) => {
      const {group: title, name} = this.run.counters[index];
      if (this.pinnedCharts.has(index) !== pinned || !(pinned || shown(`${title} ${name}`))) return;
      open(title);
      this.chartLanes[index] = this.add('chart', index, name, pinned);
    };
    const placeRow = (index: number) => {
      const {group: title, name, depth} = this.run.meta.rows[index];
      if (this.pinnedRows.has(index) !== pinned || !(pinned || shown(`${title} ${name}`))) return;
      open(title);
      // The rows below the first one of an object hold what is nested in it.
      this.rowLanes[index] = this.add('row', index, depth && !pinned ? '' : name, pinned);
    };
    const story = this.run.meta.rows.map(({kind}) => kind === 'story');
    story.forEach((first, index) => first && placeRow(index));
    this.run.counters.forEach((_, index) => placeChart(index));
    story.forEach((first, index) => first || placeRow(index));
  }

  private add(kind: Lane['kind'], index: number, label: string, pinned: boolean): Lane {
    const height = kind === 'chart' ? kChartHeight : kRowHeight;
    const lane = {kind, index, label, y: this.height, height, pinned};
    this.lanes.push(lane);
    this.height += height;
    return lane;
  }
}
