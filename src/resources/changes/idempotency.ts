/** A request that is answered once (draft-ietf-httpapi-idempotency-key-header). Times are seconds since the epoch. */
export interface OnceRequest {
  /** SHA-256 of the operator and the key. */
  readonly id: string;
  readonly operatorId: string;
  /** SHA-256 of all that makes it this request and no other. */
  readonly request: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a request was answered with. The body can hold a secret. */
export interface OnceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request of the same key that came before. */
export interface FormerRequest {
  readonly request: string;
  /** Null while it runs, where its process ended before it was kept, and where the key ring does not open it. */
  readonly answer: OnceAnswer | null;
}

/** Requests that are answered once, for all processes that serve one store. Rejects with `StoreUnavailable`. */
export interface OnceRequests {
  /** Takes the key for a request; gives the one that has it already. */
  begin(request: OnceRequest): Promise<FormerRequest | null>;
  /** Keeps the answer, sealed with the key ring. */
  finish(id: string, answer: OnceAnswer): Promise<void>;
  /** Gives the key free: the request changed nothing. */
  forget(id: string): Promise<void>;
}
