import { operatorOfToken } from '../../resources/changes/operator-token.ts';

/** Whether a token is one that an operator was issued, which lives on after the sign-in; not that of a session. */
export function isOwnToken(token: string): boolean {
  return operatorOfToken(token) !== null;
}
