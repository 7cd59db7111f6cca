/** What is wrong with a request or a setting, seen before anything is sent. The codes do not change. */
export type ProblemCode =
  | 'INVALID_CREDENTIAL'
  | 'RESERVED_PARAMETER'
  | 'AMBIGUOUS_PARAMETERS'
  | 'TOO_MANY_PARAMETERS'
  | 'MALFORMED_PARAMETERS'
  | 'QUERY_NOT_SIGNABLE'
  | 'BODY_NOT_SIGNABLE'
  | 'BODY_TOO_LARGE'
  | 'HEADER_NOT_SIGNABLE'
  | 'TARGET_NOT_SIGNABLE'
  | 'SIGNER_FAILED';

/**
 * A request that the gateway would refuse, or a client that cannot work: nothing was sent. Neither `message` nor any
 * other property holds an App Secret, a token or the value of a setting. Of `SIGNER_FAILED`, `cause` is what your
 * function threw.
 */
export class PosternProblem extends Error {
  /** Which problem; programs decide by it. */
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.name = 'PosternProblem';
    this.code = code;
  }
}

/** The token URL gave an answer that is no access token (RFC 6749 §5.2). */
export class PosternTokenError extends Error {
  /** HTTP status of the answer. */
  readonly status: number;
  /** The `error` of the answer, such as `invalid_client`; null when it has none of those of RFC 6749. */
  readonly error: string | null;

  constructor(status: number, error: string | null) {
    super(`the token URL gave no access token (status ${String(status)}${error === null ? '' : `, ${error}`})`);
    this.name = 'PosternTokenError';
    this.status = status;
    this.error = error;
  }
}
