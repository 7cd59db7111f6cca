import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { Conflict, NotFound, Outdated } from '../../resources/changes/resource-store.ts';

/**
 * Why the management API did not do what it was asked, as a store says it: `unreachable` and `slow` may pass, `denied`
 * (token) and `forbidden` (role) need somebody, `too-large` and `uncertain` are about changes (store-fault.ts).
 */
type ApiReason = 'unreachable' | 'slow' | 'denied' | 'forbidden' | 'too-large' | 'uncertain';

/** {@link StoreUnavailable} with its reason. The message is for people, without token and secrets. */
export class ApiUnavailable extends StoreUnavailable {
  readonly reason: ApiReason;

  constructor(reason: ApiReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A problem of the API (RFC 9457), as far as it could be read. */
export interface ApiProblem {
  readonly status: number;
  /** Null where the answer was none of this API. */
  readonly code: string | null;
  readonly detail: string;
  readonly requestId: string | null;
}

/** What a problem is to a command: the same errors, in the same words, as those of a store that is open here. */
export function faultOf({ status, code, detail, requestId }: ApiProblem, origin: string): Error {
  switch (code) {
    case 'UNAUTHENTICATED':
      return new ApiUnavailable(
        'denied',
        `${origin} does not take the token: it is wrong, has ended, or was revoked; sign in with "postern login", or set POSTERN_TOKEN to a new one`,
      );
    case 'FORBIDDEN':
      return new ApiUnavailable('forbidden', detail);
    case 'NOT_FOUND':
      return new NotFound(detail);
    case 'CONFLICT':
      return new Conflict(detail);
    case 'REVISION_CHANGED':
      return new Outdated(detail);
    case 'BODY_TOO_LARGE':
      return new ApiUnavailable('too-large', `${detail}. Nothing was changed`);
    case 'TOO_MANY_REQUESTS':
      return new ApiUnavailable('slow', `${origin} takes no more requests now: ${detail}`);
    case 'STORE_UNAVAILABLE':
      return new ApiUnavailable('unreachable', `${origin} answers, but its store does not: ${detail}`);
    case 'OUTCOME_UNKNOWN':
      return new ApiUnavailable('uncertain', detail);
    case 'INVALID_RESOURCE':
    case 'MALFORMED_REQUEST':
      return new Error(detail);
    case null:
      return new Error(
        `${origin} answered ${String(status)} and is no management API of this version of Postern: POSTERN_STORE must name "postern manage" itself`,
      );
    default:
      return new Error(`${origin} answered ${String(status)} (${code}); its log names the request ${requestId ?? ''}`);
  }
}
