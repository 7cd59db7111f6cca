/** What an access token says (RFC 9068 §2.2). Times are seconds since the epoch. */
export interface TokenClaims {
  /** `iss`, and `aud` too: a token is good for every oauth2 endpoint behind its issuer, and nowhere else. */
  readonly issuer: string;
  /** `client_id` and `sub`: the App Key, which is public for this method. */
  readonly clientId: string;
  readonly consumerId: string;
  readonly credentialId: string;
  readonly issuedAt: number;
  /** The token is good before this second only. */
  readonly expiresAt: number;
  /** `jti`, by which a token is revoked. */
  readonly tokenId: string;
  /**
   * `cnf` with `x5t#S256`: the SHA-256, in base64url, of the client certificate without which the token does not work
   * (RFC 8705 §3.1); null for a token that works without one.
   */
  readonly certificate: string | null;
}

/** The member of `cnf` that names a certificate (RFC 8705 §3.1). */
export const THUMBPRINT = 'x5t#S256';

/** Writes claims as the payload segment of a token. The same claims always give the same text. */
export function encodeClaims(claims: TokenClaims): string {
  const { issuer, clientId, consumerId, credentialId, issuedAt, expiresAt, tokenId, certificate } = claims;
  return encodeJson({
    iss: issuer,
    aud: issuer,
    sub: clientId,
    client_id: clientId,
    consumer: consumerId,
    credential: credentialId,
    iat: issuedAt,
    exp: expiresAt,
    jti: tokenId,
    ...(certificate === null ? {} : { cnf: { [THUMBPRINT]: certificate } }),
  });
}

/** Writes an object as a segment of a token: JSON in base64url (RFC 7515 §3). */
export function encodeJson(object: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(object), 'utf8').toString('base64url');
}

/**
 * Reads back what {@link encodeClaims} wrote, and nothing else: null for every other text, also for one that only
 * spells the same claims in another way (order, white space, repeated or more names, another base64url).
 * Does not verify the signature.
 */
export function decodeClaims(segment: string): TokenClaims | null {
  const claims = readClaims(parseJson(Buffer.from(segment, 'base64url').toString('utf8')));
  return claims !== null && encodeClaims(claims) === segment ? claims : null;
}

/** What a token says of itself, its signature unverified; null for a text that is no token of Postern's form. */
export function readUnverifiedClaims(token: string): TokenClaims | null {
  const [, payload, signature, ...more] = token.split('.');
  return payload === undefined || signature === undefined || more.length > 0 ? null : decodeClaims(payload);
}

function readClaims(payload: unknown): TokenClaims | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { iss, client_id, consumer, credential, iat, exp, jti, cnf } = payload as Readonly<Record<string, unknown>>;
  if (typeof iss !== 'string' || typeof client_id !== 'string' || typeof consumer !== 'string') return null;
  if (typeof credential !== 'string' || typeof jti !== 'string') return null;
  if (typeof iat !== 'number' || typeof exp !== 'number') return null;
  const certificate = cnf === undefined ? null : (cnf as Readonly<Record<string, unknown>> | null)?.[THUMBPRINT];
  if (certificate !== null && typeof certificate !== 'string') return null;
  return {
    issuer: iss,
    clientId: client_id,
    consumerId: consumer,
    credentialId: credential,
    issuedAt: iat,
    expiresAt: exp,
    tokenId: jti,
    certificate,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
