import {unpackText} from '../bytes';
import type {Json, Violation} from '../meta';
import {takeData} from '../ready';

/// What matrix.json holds.
export interface MatrixResult {
  scenario: string;
  title: string;
  mechanisms: {name: string; on: Json; off: Json; on_means: string; off_means: string}[];
  sufficient: string[][];
  backups: string[][];
  not_exercised: string[];
  bounds: Record<string, string|number>;
  rows: Row[];
}

/// A subset of the mechanisms.
export interface Row {
  on: string[];
  verdict: string;
  violations: string[];
  executions: number;
}

export interface Matrix {
  result: MatrixResult;
  command: string;
  found: (Violation|null)[];  ///< the counterexample of each row
}

interface MatrixMeta {
  format: number;
  codec: string;
  command: string;
  matrix: MatrixResult;
}

export async function loadMatrix(): Promise<Matrix> {
  const {meta, columns} = await takeData<MatrixMeta>();
  const text = await unpackText(columns[0], meta.codec);
  return {result: meta.matrix, command: meta.command, found: JSON.parse(text)};
}

/// The command that explores a row alone.
export function commandOf({result: {mechanisms, rows}, command}: Matrix, at: number): string {
  const quoted = (text: string) =>
      /^[\w+=:,.@%/-]+$/.test(text) ? text : `'${text.replace(/'/g, '\'\\\'\'')}'`;
  const set = mechanisms.map(
      ({name, on, off}) => quoted(
          `/platform/ordering/${name}=${JSON.stringify(rows[at].on.includes(name) ? on : off)}`));
  return [command, ...set.map(text => `--set ${text}`)].join(' ');
}
