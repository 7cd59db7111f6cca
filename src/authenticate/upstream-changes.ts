/** What authentication changes in a request before it goes upstream. Everything else stays byte for byte. */
export interface UpstreamChanges {
  /** The new `:path`; null leaves it. */
  readonly path: string | null;
  /** Header names, lower case. */
  readonly headersToRemove: readonly string[];
  /** The body that takes the place of the received one; null leaves it. */
  readonly body: Uint8Array | null;
}

/** No change at all. */
export const unchanged: UpstreamChanges = { path: null, headersToRemove: [], body: null };
