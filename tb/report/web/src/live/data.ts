export type Value = string|number;

/// A part of the page: a table, or a list if there is one column without a title.
export interface Part {
  title: string;
  columns: string[];
  rows: Value[][];
  note?: string;  ///< in the place of rows, or below them
}

/// What the server gives out. Everything is missing before the first state.
export interface State {
  command: string;
  title: string;
  state: 'running'|'over'|'interrupted'|'failed';
  number: number;   ///< of the state; rises
  seconds: number;  ///< since the command began
  progress?: {done: number; all: number; unit: string};
  facts: [string, Value][];
  parts: Part[];
}

/// The latest state of the command; null before the first. Throws when the server is gone.
export async function latest(): Promise<State|null> {
  const answer = await fetch('state', {cache: 'no-store', signal: AbortSignal.timeout(5000)});
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const state = await answer.json() as Partial<State>;
  return state.state ? state as State : null;
}
