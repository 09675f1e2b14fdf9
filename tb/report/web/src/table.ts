import {button, element} from './dom';

export type Cell = string|number;

export interface Column {
  title: string;
  format?: (value: Cell, row: Cell[]) => string;  ///< of a column of numbers
  show?: (value: Cell) => Node;                   ///< in the place of the text
}

/// A table that is sorted by a click on the title of a column. Cells beyond the columns are not
/// shown.
export function sortable(columns: Column[], rows: Cell[][]): HTMLTableElement {
  const body = element('tbody'), heads: HTMLElement[] = [];
  let by = -1, rising = true;
  const fill = () => body.replaceChildren(...rows.map(
      row => element(
          'tr', {},
          ...columns.map(
              ({format, show}, at) => element(
                  'td', format ? {class: 'n'} : {},
                  show?.(row[at]) ?? format?.(row[at], row) ?? String(row[at]))))));
  const sort = (at: number) => {
    rising = by === at ? !rising : true;
    by = at;
    rows.sort((a, b) => compare(a[at], b[at]) * (rising ? 1 : -1));
    for (const head of heads) head.removeAttribute('aria-sort');
    heads[at].setAttribute('aria-sort', rising ? 'ascending' : 'descending');
    fill();
  };
  columns.forEach(({title, format}, at) => {
    const attributes = {scope: 'col', class: format ? 'n' : ''};
    heads.push(element('th', attributes, button(title, () => sort(at))));
  });
  fill();
  return element('table', {}, element('thead', {}, element('tr', {}, ...heads)), body);
}

function compare(a: Cell, b: Cell): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
