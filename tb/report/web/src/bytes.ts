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

/// Reads LEB128 numbers one after the other. A number of more than 53 bits needs `big()`.
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

  /// A zigzag number: 0, -1, 1, -2, 2 and further.
  signed(): number {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }

  /// A zigzag number of 64 bits.
  big(): bigint {
    const start = this.at;
    while (this.bytes[this.at++] > 127)
      ;
    // Seven bytes hold 49 bits, which a plain number holds exactly: the fast way for most values.
    if (this.at - start <= 7) {
      this.at = start;
      return BigInt(this.signed());
    }
    let value = 0n;
    for (let i = this.at - 1; i >= start; --i) value = value << 7n | BigInt(this.bytes[i] & 127);
    return value >> 1n ^ -(value & 1n);
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
