/// The columns as bytes: base64 text, packed or not.
export async function unpack(text: string, codec: string): Promise<Uint8Array> {
  const packed = fromBase64(text.trim());
  if (codec === 'none') return packed;
  const stream = new Blob([packed as BlobPart]).stream();
  const open = stream.pipeThrough(new DecompressionStream(codec as CompressionFormat));
  return new Uint8Array(await new Response(open).arrayBuffer());
}

/// The same as a text in UTF-8.
export async function unpackText(text: string, codec: string): Promise<string> {
  return new TextDecoder().decode(await unpack(text, codec));
}

type Base64 = {
  fromBase64?: (text: string) => Uint8Array
};

function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as Base64).fromBase64;
  return native ? native(text) : Uint8Array.from(atob(text), c => c.charCodeAt(0));
}

/// Reads numbers one after the other, single ones in LEB128. Numbers of more than 53 bits need
/// `bigColumn()`.
export class Reader {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  number(): number {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let weight = 128; byte > 127; weight *= 128) {
      byte = this.bytes[this.at++];
      value += (byte & 127) * weight;
    }
    return value;
  }

  /// A column: the number of bytes of its values, then the lowest byte of all of them, and so on.
  column<T extends Uint8Array|Uint32Array|Float64Array>(into: T): T {
    const width = this.bytes[this.at++], count = into.length;
    for (let plane = 0, weight = 1; plane < width; ++plane, weight *= 256, this.at += count)
      for (let i = 0; i < count; ++i) into[i] += this.bytes[this.at + i] * weight;
    return into;
  }

  /// A column of zigzag numbers: 0, -1, 1, -2, 2 and further.
  signedColumn(count: number): Float64Array {
    const into = this.column(new Float64Array(count));
    for (let i = 0; i < count; ++i) into[i] = into[i] % 2 ? -(into[i] + 1) / 2 : into[i] / 2;
    return into;
  }

  /// A column of zigzag numbers of 64 bits.
  bigColumn(count: number): BigInt64Array {
    const into = new BigInt64Array(count), width = this.bytes[this.at++];
    for (let plane = 0; plane < width; ++plane, this.at += count)
      for (let i = 0; i < count; ++i)
        into[i] |= BigInt(this.bytes[this.at + i]) << BigInt(8 * plane);
    for (let i = 0; i < count; ++i) into[i] = BigInt.asUintN(63, into[i] >> 1n) ^ -(into[i] & 1n);
    return into;
  }

  /// Numbers of 32 bits, the lowest byte first.
  floats(count: number): Float32Array {
    const from = this.bytes.byteOffset + this.at, view = new DataView(this.bytes.buffer, from);
    this.at += 4 * count;
    return Float32Array.from({length: count}, (_, i) => view.getFloat32(4 * i, true));
  }

  /// Throws unless every byte was read.
  finish(): void {
    if (this.at !== this.bytes.length) {
      throw new Error(`columns: read ${this.at} of ${this.bytes.length} bytes`);
    }
  }
}
