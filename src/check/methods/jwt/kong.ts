import { quoted } from '../../../model/document/problem.ts';
import type { JwtOptions } from '../../../model/endpoint.ts';
import { isJwtAlgorithm, type JwtAlgorithm, jwtAlgorithms, keyKindOf } from '../../../model/jwt-algorithms.ts';
import type { PublicKey } from '../../../model/public-key/public-key.ts';
import { readPublicKey } from '../../../model/public-key/read-public-key.ts';
import type { KongCounterpart, KongTokenFault, KongTokens, KongValues, PluginSettings } from '../kong.ts';

/** The claim that names the issuer of a token, here always, and in Kong where nothing else is said. */
const ISSUER_CLAIM = 'iss';

/** Kong's `jwt` (kong/plugins/jwt), of which tokens with public keys are imported. */
export const kongJwt: KongCounterpart<'jwt'> = {
  plugin: 'jwt',
  settings: [
    ...['uri_param_names', 'cookie_names', 'header_names', 'key_claim_name', 'secret_is_base64', 'claims_to_verify'],
    ...['maximum_expiration', 'run_on_preflight'],
  ],
  readOptions,
  credential: { kind: 'token-key', list: 'jwt_secrets', readTokens },
};

function readOptions(settings: PluginSettings): Partial<JwtOptions> | null {
  const isAnywhere = reportPlaces(settings);
  reportClaims(settings);
  if (!settings.flag('run_on_preflight', true)) {
    settings.report('warning', ['run_on_preflight'], {
      what: 'lets every OPTIONS request through; here OPTIONS needs a token too',
      instead: 'answer preflight requests with Envoy’s cors filter, before ext_authz',
    });
  }
  const claim = settings.text('key_claim_name') ?? ISSUER_CLAIM;
  if (claim !== ISSUER_CLAIM) {
    settings.report('error', ['key_claim_name'], {
      what: `knows credentials by the claim or header ${quoted(claim)}; here a token names its issuer by "iss", which the file does not say: the endpoints it applies to refuse everything`,
      instead: 'correct "issuer" and "claims" of what was imported (docs/jwt.md), then enable the endpoints by hand',
    });
  }
  const longest = settings.number('maximum_expiration') ?? 0;
  if (longest > 0) {
    settings.report('error', ['maximum_expiration'], {
      what: `refuses tokens whose "exp" is more than ${String(longest)} s ahead, which Postern does not: the endpoints it applies to refuse everything`,
      instead: 'have the issuers of tokens keep to it, then enable the endpoints by hand',
    });
  }
  return isAnywhere && claim === ISSUER_CLAIM && longest <= 0 ? {} : null;
}

/** Reports where Kong finds tokens and Postern does not; false when it looks nowhere that Kong does. */
function reportPlaces(settings: PluginSettings): boolean {
  const refused = 'callers who send it there are refused';
  const instead = 'have them send "Authorization: Bearer …"';
  const queries = settings.has('uri_param_names') ? settings.texts('uri_param_names') : ['jwt'];
  const cookies = settings.texts('cookie_names');
  const headers = settings.has('header_names') ? settings.texts('header_names') : ['authorization'];
  for (const [key, names, place] of [
    ['uri_param_names', queries, 'query parameters'],
    ['cookie_names', cookies, 'cookies'],
    ['header_names', headers.filter((name) => !isAuthorization(name)), 'headers'],
  ] as const) {
    if (names.length === 0) continue;
    const what = `also takes tokens from ${place} (${names.map(quoted).join(', ')}), which Postern does not: ${refused}`;
    settings.report('warning', [key], { what, instead });
  }
  if (headers.some(isAuthorization)) return true;
  settings.report('error', ['header_names'], {
    what: 'does not take the token from Authorization, where Postern looks: the endpoints it applies to refuse everything',
    instead: 'have callers send "Authorization: Bearer …", then enable the endpoints by hand',
  });
  return false;
}

function isAuthorization(header: string): boolean {
  return header.toLowerCase() === 'authorization';
}

/** Reports what of tokens Kong does not look at, and Postern does. */
function reportClaims(settings: PluginSettings): void {
  const verified = settings.texts('claims_to_verify');
  const unverified = ['exp', 'nbf'].filter((claim) => !verified.includes(claim));
  if (unverified.length > 0) {
    settings.report('warning', ['claims_to_verify'], {
      what: `does not verify ${unverified.map(quoted).join(', ')}; Postern refuses tokens without "exp", after it, and before "nbf"`,
      instead: 'have callers get tokens that end, and renew them',
    });
  }
  settings.report('warning', [], {
    what: 'takes tokens whatever their "aud" and "iat"; Postern wants an "aud" of their issuer, and no "iat" ahead of its clock',
    instead: 'have issuers write an "aud" into their tokens; if clocks differ, raise "clockSkewSeconds" of the issuer',
  });
  settings.report('warning', [], {
    what: 'ignores "kid", "typ" and "crit" of tokens; Postern takes a "kid" only if the key has it, "typ" JWT or at+jwt, and no "crit"',
    instead: 'write the "kid" into the key of the issuer (issuers[].jwks.keys[])',
  });
}

/** The algorithm of a credential that names none (kong/plugins/jwt/daos.lua). */
const DEFAULT_ALGORITHM = 'HS256';

function readTokens(credential: KongValues): KongTokens | KongTokenFault {
  const issuer = credential.text('key');
  if (issuer === null || issuer === '') {
    const instead = 'dump the running configuration, which has it';
    return { field: 'key', what: 'has no "key" in this file; Kong generates it', instead };
  }
  const algorithm = credential.text('algorithm') ?? DEFAULT_ALGORITHM;
  if (!isJwtAlgorithm(algorithm)) return algorithmFault(algorithm);
  const publicKey = readKey(credential.text('rsa_public_key'), algorithm);
  return 'what' in publicKey ? publicKey : { issuer, algorithm, publicKey };
}

function algorithmFault(algorithm: string): KongTokenFault {
  const isShared = algorithm.startsWith('HS');
  return {
    field: 'algorithm',
    what: isShared
      ? 'signs tokens with a shared secret (HS256, HS384, HS512), which Postern does not take'
      : `signs tokens with another algorithm than ${jwtAlgorithms.join(', ')}`,
    instead:
      'have the partner sign with a key of its own and send you the public one: postern issuer add, postern credential issue --method jwt',
  };
}

function readKey(text: string | null, algorithm: JwtAlgorithm): PublicKey | KongTokenFault {
  const field = 'rsa_public_key';
  const instead =
    'ask the partner for the public key as PEM: postern issuer add, postern credential issue --method jwt';
  if (text === null) return { field, what: `has no "${field}" in this file, so that no token of it works`, instead };
  const key = readPublicKey(text);
  if ('fault' in key) return { field, what: `has a "${field}" that ${key.fault}`, instead };
  if (key.kind === keyKindOf(algorithm)) return key;
  return { field, what: `has a "${field}" that is not for its algorithm, so that no token of it works`, instead };
}
