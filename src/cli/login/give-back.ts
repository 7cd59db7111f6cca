import { StoreUnavailable } from '../../check/store/credential-source.ts';
import type { Api } from '../management-api/exchange.ts';
import { endSession } from './api-sessions.ts';
import type { KeptSession } from './session-file.ts';
import { isOwnToken } from './own-token.ts';
import { SignInRefused } from './sign-in-refused.ts';

/**
 * Ends a session at the API, and revokes at the provider what it is renewed with. An own token stays: other programs
 * may have it. Gives what could not be done, in words.
 */
export async function giveBack(api: Api, { token, renewal }: KeptSession): Promise<readonly string[]> {
  const faults: string[] = [];
  if (!isOwnToken(token)) {
    await told(faults, async () => {
      await endSession(api, token);
    });
  }
  if (renewal !== undefined) {
    await told(faults, async () => {
      const { revoke } = await import('./openid.ts');
      if (await revoke(renewal, renewal.refreshToken)) return;
      faults.push(`the provider ${renewal.issuer} revokes no refresh tokens: end the session of commands there`);
    });
  }
  return faults;
}

async function told(faults: string[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StoreUnavailable) && !(error instanceof SignInRefused)) throw error;
    faults.push(error.message);
  }
}
