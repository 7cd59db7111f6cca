/** A request to an OAuth2 endpoint, read whole. */
export interface OAuth2Request {
  readonly method: string;
  /** The target as received. */
  readonly target: string;
  /** Every value of a header in the order received; names are lower case. */
  readonly headerValues: (name: string) => readonly string[];
  readonly body: Buffer;
  /** Address of the TCP peer; null on a Unix socket. */
  readonly peerAddress: string | null;
  /** Whether the peer is known as an Envoy, so that what it says about the caller is believed. */
  readonly isPeerTrusted: boolean;
}

/** The answer to one. */
export interface OAuth2Answer {
  readonly status: number;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
