import { constants, createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { HttpSignatureAlgorithm } from '../../../src/model/options/http-signature-algorithms.ts';
import type { PublicKey } from '../../../src/model/public-key/public-key.ts';
import { readJwk } from '../../../src/model/public-key/read-jwk.ts';
import type { PlainRequest } from '../http/http-client.ts';
import type { Fields } from '../http/http-message.ts';

/** A key pair of a partner. */
export interface PartnerKeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: PublicKey;
}

const makers = {
  ed25519: () => generateKeyPairSync('ed25519'),
  'p-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'p-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

/** A kind of key, as `PublicKey.kind` has it. */
export type KeyPairKind = keyof typeof makers;

/** A new key pair. */
export function newKeyPair(kind: KeyPairKind = 'ed25519'): PartnerKeyPair {
  const { privateKey } = makers[kind]();
  return { privateKey, publicKey: publicKeyOf(privateKey) };
}

/** The public half of a private key, as a credential has it. */
export function publicKeyOf(privateKey: KeyObject): PublicKey {
  const publicKey = readJwk(createPublicKey(privateKey).export({ format: 'jwk' }));
  if ('fault' in publicKey) throw new Error(publicKey.fault);
  return publicKey;
}

/** How each algorithm of RFC 9421 signs. */
export const signers: Readonly<Record<HttpSignatureAlgorithm, (base: Buffer, key: KeyObject) => Buffer>> = {
  ed25519: (base, key) => sign(null, base, key),
  'ecdsa-p256-sha256': (base, key) => sign('sha256', base, { key, dsaEncoding: 'ieee-p1363' }),
  'ecdsa-p384-sha384': (base, key) => sign('sha384', base, { key, dsaEncoding: 'ieee-p1363' }),
  'rsa-pss-sha512': (base, key) =>
    sign('sha512', base, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }),
  'rsa-v1_5-sha256': (base, key) => sign('sha256', base, key),
};

/** The algorithm that a kind of key signs with first. */
export const usualAlgorithms: Readonly<Record<KeyPairKind, HttpSignatureAlgorithm>> = {
  ed25519: 'ed25519',
  'p-256': 'ecdsa-p256-sha256',
  'p-384': 'ecdsa-p384-sha384',
  rsa: 'rsa-pss-sha512',
};

/** A request that a partner signs by RFC 9421. Text is one character a byte; everything but the key has a default. */
export interface HttpSignatureParts {
  readonly key: PartnerKeyPair;
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  /** Beside `Content-Digest` and the fields of the signature. */
  readonly headers?: Fields;
  readonly body?: string | Buffer;
  /** The whole `Content-Digest`; null for none. */
  readonly digest?: string | null;
  /** Component identifiers as they are written, each with its quotes and parameters. */
  readonly covered?: readonly string[];
  /** The values of components that are signed in place of those that are sent, by identifier. */
  readonly values?: Readonly<Record<string, string>>;
  /** The list of them, in another spelling. */
  readonly list?: string;
  readonly keyid?: string;
  readonly created?: number;
  /** After `created` and `keyid`, as written: `;nonce="a"`. */
  readonly more?: string;
  /** All of the parameters, as written. */
  readonly parameters?: string;
  readonly algorithm?: HttpSignatureAlgorithm;
  readonly label?: string;
  /** What else of the two fields there is, before the signature. */
  readonly others?: { readonly input: string; readonly signature: string };
}

/** What most libraries cover. */
export const USUAL_COVERED = ['"@method"', '"@authority"', '"@path"', '"@query"'];

/** The `Content-Digest` of a body. */
export function contentDigestText(body: string | Buffer, name: 'sha-256' | 'sha-512' = 'sha-256'): string {
  const hash = createHash(name.replace('-', '')).update(typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
  return `${name}=:${hash.digest('base64')}:`;
}

/** Signs as a partner's program does, from RFC 9421 alone: no code of the product. */
export function signedByKey(parts: HttpSignatureParts): PlainRequest & { readonly headers: Fields } {
  const { key, method = 'GET', target = '/signed', host = 'api.example.com', headers = [], body = '' } = parts;
  const { keyid = 'acme-public-key', created = Math.floor(Date.now() / 1000), more = '', label = 'sig1' } = parts;
  const digest = parts.digest === undefined ? (body.length === 0 ? null : contentDigestText(body)) : parts.digest;
  const covered = parts.covered ?? [...USUAL_COVERED, ...(digest === null ? [] : ['"content-digest"'])];
  const own: Fields = [...headers, ...(digest === null ? [] : [['Content-Digest', digest] as const])];
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const derived: Readonly<Record<string, string>> = {
    '"@method"': method,
    '"@authority"': host.toLowerCase().replace(/:443$/, ''),
    '"@path"': path,
    '"@query"': `?${query}`,
    '"@request-target"': target,
    '"@target-uri"': `https://${host}${target}`,
    '"@scheme"': 'https',
    '"host"': host,
  };
  const valueOf = (identifier: string): string => {
    const name = identifier.slice(1, identifier.lastIndexOf('"'));
    const values = own.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value);
    return parts.values?.[identifier] ?? derived[identifier] ?? values.join(', ');
  };
  const parameters = parts.parameters ?? `;created=${String(created)};keyid="${keyid}"${more}`;
  const input = `${parts.list ?? `(${covered.join(' ')})`}${parameters}`;
  const lines = [...covered.map((each) => `${each}: ${valueOf(each)}`), `"@signature-params": ${input}`];
  const algorithm = parts.algorithm ?? usualAlgorithms[key.publicKey.kind];
  const bytes = signers[algorithm](Buffer.from(lines.join('\n'), 'latin1'), key.privateKey);
  const before = (text: string | undefined): string => (text === undefined ? '' : `${text}, `);
  return {
    method,
    target,
    host,
    headers: [
      ...own,
      ['Signature-Input', `${before(parts.others?.input)}${label}=${input}`],
      ['Signature', `${before(parts.others?.signature)}${label}=:${bytes.toString('base64')}:`],
    ],
    ...(body.length === 0 ? {} : { body: typeof body === 'string' ? Buffer.from(body, 'latin1') : body }),
  };
}
