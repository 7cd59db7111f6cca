/** Why a token of an issuer does not work, for the log, apart from what is wrong with its credential. */
export const jwtFaults = {
  form: 'the token is no JWT in compact form with an object in JSON for header and claims, each written once and right',
  tooLong: 'the token is too long',
  header: 'the header of the token has a parameter that changes the meaning of its claims, such as crit, b64 or zip',
  type: 'the typ of the token is another than JWT and at+jwt',
  kid: 'the kid of the token is no text',
  noIssuer: 'the token has no iss that is a text',
  times: 'the token has no exp, or an exp, nbf or iat that is no number',
  audienceForm: 'the token has no aud that is a text or a list of texts',
  unknownIssuer: 'no issuer of the store has the iss of the token, or it is disabled',
  algorithm: 'the alg of the token is none that its issuer may use',
  noKey: 'no key of the issuer has the kid of the token and fits its alg',
  tooManyKeys: 'the token has no kid, and too many keys of the issuer fit its alg',
  signature: 'the signature of the token is by no key of its issuer',
  audience: 'the aud of the token is none of the audiences of its issuer',
  requiredClaim: 'a claim that the issuer requires is missing from the token, or has another value',
  expired: 'the token has expired',
  notYetValid: 'the token is not valid yet',
  noCredential: 'no credential of the issuer names claims that the token has',
  ambiguous: 'the token has the claims of more than one credential, and it is not clear whose it is',
  noTokenId: 'the token has no jti, which this endpoint needs to take each token once',
  livesTooLong: 'the exp of the token is too far ahead for an endpoint that takes each token once',
  keysUnknown: 'the keys of the issuer of the token were never fetched, and cannot be now',
} as const;

/** Which of them. */
export type JwtFault = keyof typeof jwtFaults;

/** A token that is none, or does not work. */
export interface FaultyToken {
  readonly fault: JwtFault;
}

/** Whether a result is a fault. */
export function isFaulty(result: object): result is FaultyToken {
  return Object.hasOwn(result, 'fault');
}
