import { ApiProblem } from '../../api/problem.ts';
import type { People } from '../../api/people.ts';
import { findOperator } from '../../../resources/changes/find-operator.ts';
import { noOperatorFor } from './no-operator.ts';
import type { OpenIdProvider } from './openid/provider.ts';
import { SignInFault } from './sign-in-fault.ts';
import type { SignInPorts } from './sign-in.ts';
import type { SessionStore } from '../../../resources/changes/sessions.ts';

/** After this another try may find the provider up again, in seconds. */
const RETRY_PROVIDER_AFTER = 5;

/** What people who sign in with a command need. */
export interface CommandPeoplePorts extends Pick<SignInPorts, 'resources' | 'observer'> {
  /** With the client of commands. */
  readonly provider: OpenIdProvider;
  readonly sessions: SessionStore;
  readonly metadata: People['metadata'];
}

/** People who sign in with a command: claims count as at the sign-in to the console. */
export function createCommandPeople(ports: CommandPeoplePorts): People {
  const { provider, sessions, metadata, resources, observer } = ports;
  return {
    metadata,
    sessions,
    identify: async ({ idToken, accessToken, address }) => {
      try {
        const subject = await provider.subjectOfIdToken(idToken, accessToken);
        const operator = await findOperator({ subject }, resources);
        if (operator === null) throw new SignInFault('refused', noOperatorFor(subject));
        observer.signedIn(operator.id, 'openid', address);
        return { operator, subject };
      } catch (error) {
        if (!(error instanceof SignInFault)) throw error;
        observer.refused(error.message, 'openid', address);
        throw problemOf(error);
      }
    },
  };
}

function problemOf({ kind, message }: SignInFault): ApiProblem {
  if (kind === 'provider') {
    return new ApiProblem('PROVIDER_UNAVAILABLE', message, { retryAfter: RETRY_PROVIDER_AFTER });
  }
  const headers = { 'www-authenticate': 'Bearer realm="postern", error="invalid_token"' };
  return new ApiProblem('UNAUTHENTICATED', message, { headers });
}
