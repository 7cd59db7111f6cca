import { hash, randomBytes } from 'node:crypto';
import type { Operator, OperatorToken } from '../../model/operator.ts';
import { Secret } from '../../model/secret.ts';
import { equal } from '../../base/text/equal.ts';

/** Finds leaked ones: no other program's tokens begin so. */
const PREFIX = 'pot_';
/** 256 bits, 43 base64url characters. */
const TOKEN_BYTES = 32;
const ID_BYTES = 4;
/** `pot_alice.` and the random part; ids hold no dot. */
const TOKEN_PATTERN = /^pot_([a-z0-9][a-z0-9-]{0,62})\.([A-Za-z0-9_-]{43})$/;

/** A new token, and what is kept of it. */
export interface IssuedToken {
  /** `pot_alice.` and 43 characters of base64url, for its holder. */
  readonly text: Secret;
  readonly token: OperatorToken;
}

/** Makes a token for an operator, from the system's random source. Times are seconds since the epoch. */
export function issueToken(operatorId: string, createdAt: number, expiresAt: number): IssuedToken {
  const text = `${PREFIX}${operatorId}.${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const id = randomBytes(ID_BYTES).toString('hex');
  return { text: Secret.fromText(text), token: { id, hash: hash('sha256', text, 'hex'), createdAt, expiresAt } };
}

/** Whose token a text may be; null for what has not the form of one. */
export function operatorOfToken(text: string): string | null {
  return TOKEN_PATTERN.exec(text)?.[1] ?? null;
}

/** The token of an operator that a text is, when it is live; null otherwise. Compares in constant time. */
export function findToken({ tokens }: Operator, text: string, nowSeconds: number): OperatorToken | null {
  const presented = hash('sha256', text, 'buffer');
  let found: OperatorToken | null = null;
  for (const token of tokens) if (equal(presented, Buffer.from(token.hash, 'hex'))) found = token;
  return found !== null && nowSeconds < found.expiresAt ? found : null;
}
