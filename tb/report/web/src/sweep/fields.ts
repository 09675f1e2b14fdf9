import type {Mark, Picture} from './marks';

export interface Field {
  x: number;  ///< of the drawing area, in pixels of the canvas
  y: number;
  width: number;
  height: number;
}

export const kLeft = 78, kFoot = 36, kHead = 22, kRight = 14;

/// Where the fields of a picture are on the canvas: as square as their number allows.
export class Fields {
  readonly list: Field[];
  readonly height: number;  ///< of all; more than the canvas has if there are many

  constructor(private readonly picture: Picture, width: number, height: number) {
    const count = picture.facets.length, most = Math.max(1, Math.floor(width / 240));
    const across = Math.min(most, count, Math.ceil(Math.sqrt(count * width / height)));
    const down = Math.ceil(count / across), wide = width / across;
    const high = Math.max(height / down, count > 1 ? 130 : 0);
    this.height = high * down;
    this.list = picture.facets.map((_, at) => ({
                                     x: at % across * wide + kLeft,
                                     y: Math.floor(at / across) * high + kHead,
                                     width: Math.max(1, wide - kLeft - kRight),
                                     height: Math.max(1, high - kHead - kFoot)
                                   }));
  }

  /// The place of a mark, in pixels.
  at({facet, x, y}: Mark): [number, number] {
    return this.place(facet, x, y);
  }
  place(facet: number, x: number, y: number): [number, number] {
    const field = this.list[facet], {scaleX, scaleY} = this.picture;
    return [
      field.x + scaleX.share(x) * field.width, field.y + (1 - scaleY.share(y)) * field.height
    ];
  }

  /// The field that a point of the canvas is in; -1 if it is in none.
  under(x: number, y: number): number {
    return this.list.findIndex(
        field => x >= field.x && x <= field.x + field.width && y >= field.y &&
            y <= field.y + field.height);
  }
}
