import {unpackText} from './bytes';
import {element} from './dom';

/// Gives tests, and scripts of the reader, the object `fenceline`, with a promise `ready`. The page
/// says so if it cannot be shown.
export function present(handle: {ready?: Promise<void>}, start: () => Promise<void>): void {
  Object.assign(window, {fenceline: handle});
  handle.ready = start();
  handle.ready.catch(error => {
    const text = `The page cannot be shown: ${error.message}`;
    document.getElementById('app')!.append(element('p', {role: 'alert', class: 'notice'}, text));
  });
}

/// Takes out of the page what it was written with. Throws if that is of another format.
export async function takeData<Meta extends {format: number}>():
    Promise<{meta: Meta; columns: string[]}> {
  const meta = JSON.parse(await unpackText(take('meta'), 'deflate-raw')) as Meta;
  if (meta.format !== 2) throw new Error(`format ${meta.format} is not known`);
  return {meta, columns: take('columns').split('\n')};
}

/// Text of an element, which is removed: it would stay in memory.
function take(id: string): string {
  const holder = document.getElementById(id)!, text = holder.textContent!;
  holder.remove();
  return text;
}
