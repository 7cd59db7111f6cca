/** A refusal as `GET /v1/refusals` shows it. */
export interface ShownRefusal {
  readonly at: string;
  readonly requestId?: string;
  /** Absent where no endpoint took the request. */
  readonly consumer?: string;
  readonly credential?: string;
  /** Absent for a request to the OAuth2 endpoints, and where none took it. */
  readonly endpoint?: string;
  readonly method: string;
  readonly path: string;
  readonly code: string;
  readonly status?: number;
  /** What the caller got. */
  readonly message?: string;
  readonly detail: string;
  /** Let through, because the endpoint only observes. */
  readonly observed?: true;
  readonly sourceAddress?: string;
  readonly stringToSign?: string;
  readonly leftOutBefore?: number;
}

/** A refusal as `GET /v1/refusals/ID` shows it. */
export interface ExplainedRefusal extends ShownRefusal {
  readonly mistakes: readonly { readonly name: string; readonly what: string; readonly fix: string }[];
  readonly notes: readonly string[];
  /** Only the request itself can say more. */
  readonly needsRequest: boolean;
}

/** What `POST /v1/refusals/ID:explain` answers. */
export interface ExplainedRequest {
  readonly text: string;
}
