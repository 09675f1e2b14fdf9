/// The classes of names, with the legend's word for each: style.css has a colour of the same name.
export const kClasses = {
  signal: 'signal',
  wait: 'wait',
  work: 'work of an engine',
  packet: 'packet',
  buffer: 'buffer of a context',
  preemption: 'preemption',
  suspended: 'suspended',
  update: 'update of MonitoredValue',
  pcie: 'PCIe transfer',
  isr: 'ISR',
  dpc: 'DPC',
  idle: 'core sleeps',
  running: 'thread runs',
  ready: 'thread could run',
  driver: 'call of the driver',
  display: 'display',
  memory: 'memory',
  mark: 'release or mark',
  story: 'step of the story',
  lost: 'lost log entries',
  suspect: 'fault',
} as const;

export type Colour = keyof typeof kClasses;

/// Faults are drawn last and never narrower than three pixels.
export function isFault(colour: Colour): boolean {
  return colour === 'lost' || colour === 'suspect';
}

/// Names of these classes are shown with their value.
export function showsValue(colour: Colour): boolean {
  return colour === 'signal' || colour === 'wait' || colour === 'update' || colour === 'lost' ||
      colour === 'buffer' || colour === 'preemption' || colour === 'display';
}

const kPlain = ['back', 'ink', 'soft', 'line', 'lane', 'accent', 'bad'] as const;

/// The colours of the style sheet, light or dark, in the forms that drawing needs.
export interface Theme {
  plain: Record<(typeof kPlain)[number], string>;
  of: Record<Colour, string>;
  ink: Record<Colour, string>;    ///< readable on the colour
  pixel: Record<Colour, number>;  ///< for image data, without opacity
}

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const classes = Object.keys(kClasses) as Colour[];
  const all = <T>(make: (colour: string) => T) =>
      Object.fromEntries(classes.map(name => [name, make(read(name))])) as Record<Colour, T>;
  const plain = Object.fromEntries(kPlain.map(name => [name, read(name)])) as Theme['plain'];
  return {plain, of: all(c => c), ink: all(inkOn), pixel: all(pixelOf)};
}

/// "#rrggbb" as a number 0xbbggrr: image data starts with red on the machines that browsers run on.
function pixelOf(colour: string): number {
  const rgb = parseInt(colour.slice(1), 16);
  return (rgb & 255) << 16 | rgb & 0xff00 | rgb >> 16;
}

function inkOn(colour: string): string {
  const rgb = parseInt(colour.slice(1), 16);
  const bright = (rgb >> 16) * 0.299 + (rgb >> 8 & 255) * 0.587 + (rgb & 255) * 0.114;
  return bright > 130 ? '#10181c' : '#ffffff';
}
