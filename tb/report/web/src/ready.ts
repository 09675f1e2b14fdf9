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
export function takeData<Meta extends {format: number}>(): {meta: Meta; columns: string[]} {
  const meta = JSON.parse(document.getElementById('meta')!.textContent!) as Meta;
  if (meta.format !== 1) throw new Error(`format ${meta.format} is not known`);
  const holder = document.getElementById('columns')!, columns = holder.textContent!.split('\n');
  holder.remove();  // the text would stay in memory
  return {meta, columns};
}
