// How far apart colours are for readers with each kind of colour vision.

/// Machado, Oliveira, Fernandes 2009, severity 1: what of linear red, green and blue is left.
const kVisions = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [
    [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998]
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]
  ],
};
/// Of linear red, green and blue in CIE XYZ, divided by white of D65.
const kXyz = [
  [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339 / 1.08883, 0.119192 / 1.08883, 0.9503041 / 1.08883],
];

const times = (matrix, vector) =>
    matrix.map(row => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));
const clamp = value => Math.min(1, Math.max(0, value));

function linear(colour) {
  return [1, 3, 5].map(at => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

function lab(colour, vision) {
  const root = value => value > 216 / 24389 ? Math.cbrt(value) : (24389 / 27 * value + 16) / 116;
  const [x, y, z] = times(kXyz, times(kVisions[vision], linear(colour)).map(clamp)).map(root);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/// The least CIE76 distance of two colours "#rrggbb" over all kinds of vision.
export function distance(one, other) {
  return Math.min(...Object.keys(kVisions).map(vision => {
    const from = lab(one, vision), to = lab(other, vision);
    return Math.hypot(...from.map((value, i) => value - to[i]));
  }));
}

/// Contrast of two colours as WCAG 2 defines it.
export function contrast(one, other) {
  const [low, high] =
      [one, other].map(colour => times(kXyz, linear(colour))[1]).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
