/**
 * What the signature methods read of a request. All text is one character a byte (latin1), so that what is signed is
 * what was received, whatever bytes it holds.
 */
export interface SignableRequest {
  readonly method: string;
  /** The raw `:path`, query included. */
  readonly path: string;
  /** The raw `:authority`; `''` for none. */
  readonly authority: string;
  /** `HTTP/1.1`, `HTTP/2` or what else Envoy reports. */
  readonly protocol: string;
  /** The whole body as received. Only read, never changed. */
  readonly body: Buffer;
  /** False when Envoy wrote `!` for the header bytes that it could not show (spec §2.1). */
  readonly hasRawHeaders: boolean;
  /** How many headers there are: at least one for each name that has a value. */
  readonly headerCount: number;
  /** Every value of a header, by its lower-case name, in the order received and without surrounding white space. */
  headerValues(name: string): readonly Buffer[];
}
