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
  isr: 'interrupt',
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

/// Spans of these classes can lie side by side on one row, so their colours must differ for every
/// reader. A class that is missing lies beside nothing but its own kind.
export const kTogether: readonly(readonly Colour[])[] = [
  ['signal', 'wait', 'work', 'packet', 'buffer', 'suspended'],
  ['work', 'packet', 'buffer', 'preemption'],
  ['driver', 'update'],
  ['isr', 'dpc', 'idle', 'memory'],
  ['running', 'ready'],
  ['pcie', 'suspect'],
];

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

/// Black or white, whatever is easier to read on a colour.
function inkOn(colour: string): string {
  const light = luminance(colour);
  return (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? '#000000' : '#ffffff';
}

/// Relative luminance as WCAG 2 defines it.
function luminance(colour: string): number {
  const rgb = parseInt(colour.slice(1), 16);
  const linear = (part: number) => {
    const value = (part & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb);
}
