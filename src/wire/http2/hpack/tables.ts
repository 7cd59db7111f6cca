import { type Classify, type Field, FIELD_OVERHEAD_BYTES } from './field.ts';

/** RFC 7541 Appendix A, from index 1: `name` or `name=value`. */
const entries = `
:authority :method=GET :method=POST :path=/ :path=/index.html :scheme=http :scheme=https :status=200 :status=204
:status=206 :status=304 :status=400 :status=404 :status=500 accept-charset accept-encoding=gzip,_deflate
accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control
content-disposition content-encoding content-language content-length content-location content-range content-type cookie
date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified
link location max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after server set-cookie
strict-transport-security transfer-encoding user-agent vary via www-authenticate`;

/** Number of entries; the dynamic table's indices come after them (RFC 7541 §2.3.3). */
export const STATIC_ENTRIES = 61;

/** The static table; index 1 of HPACK is element 0. */
export function createStaticTable(classify: Classify): readonly Field[] {
  return entries
    .trim()
    .split(/\s+/)
    .map((entry) => {
      const [name = '', text = ''] = entry.split('=');
      const value = text.replace('_', ' ');
      const sizeBytes = name.length + value.length + FIELD_OVERHEAD_BYTES;
      return { name, value, kind: classify(name), sizeBytes, malformedValue: false };
    });
}

/** The table that a peer's blocks build up: first in, first out, bounded by size (RFC 7541 §2.3.2, §4). */
export class DynamicTable {
  /** A ring; its length is a power of two that the largest table fits in. */
  readonly #ring: (Field | undefined)[];
  readonly #mask: number;
  #newest = 0;
  #count = 0;
  #sizeBytes = 0;
  #maxBytes: number;

  /** @param limitBytes what SETTINGS_HEADER_TABLE_SIZE allows; the peer may choose less. */
  constructor(limitBytes: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(2, limitBytes / FIELD_OVERHEAD_BYTES)));
    this.#ring = new Array<Field | undefined>(slots).fill(undefined);
    this.#mask = slots - 1;
    this.#maxBytes = limitBytes;
  }

  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** @param index 0 for the newest. */
  at(index: number): Field | undefined {
    return index < this.#count ? this.#ring[(this.#newest - index) & this.#mask] : undefined;
  }

  /** Adds an entry, evicting the oldest; one larger than the table empties it (RFC 7541 §4.4). */
  add(field: Field): void {
    this.#evictTo(this.#maxBytes - field.sizeBytes);
    if (field.sizeBytes > this.#maxBytes) return;
    this.#newest = (this.#newest + 1) & this.#mask;
    this.#ring[this.#newest] = field;
    this.#count++;
    this.#sizeBytes += field.sizeBytes;
  }

  /** A dynamic table size update (RFC 7541 §6.3). The caller has compared it with the limit. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#evictTo(maxBytes);
  }

  #evictTo(bytes: number): void {
    while (this.#count > 0 && this.#sizeBytes > bytes) {
      const oldest = (this.#newest - this.#count + 1) & this.#mask;
      this.#sizeBytes -= this.#ring[oldest]?.sizeBytes ?? 0;
      this.#ring[oldest] = undefined;
      this.#count--;
    }
  }
}
