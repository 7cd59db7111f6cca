import type { KongTokenKeys, KongTokens, ReportDifference } from '../../../check/methods/kong.ts';
import { MAX_ISSUERS } from '../../../model/bounds.ts';
import { FieldFault, ID_PATTERN } from '../../../model/document/fields.ts';
import { quoted } from '../../../model/document/problem.ts';
import { issuerDefaults } from '../../../model/issuer.ts';
import type { Declared } from '../../../resources/declared.ts';
import { issuerFields } from '../../../resources/issuer-fields.ts';
import { declareIssuer } from '../../../resources/issuer.ts';
import type { ImportContext } from './import-context.ts';
import type { KongConsumer, KongCredential } from './kong-entities.ts';
import { commonKeys } from './kong-mapping.ts';
import { uniqueIds } from './unique-ids.ts';
import { findPlaceholder, RENDER_FIRST } from './unresolved.ts';

/**
 * Imports credentials with the keys of tokens. Kong knows the key by the `iss` of a token; here each is an issuer of
 * that one key, and the credential is for the same `iss`.
 */
export interface TokenKeyImporter {
  /**
   * The credential as it is declared; null, and a reported error, when it was left out.
   *
   * @param takenIds ids of credentials; that of the returned one is added
   */
  read(credential: KongCredential, report: ReportDifference, takenIds: Set<string>): Declared | null;
  /** Those of the credentials so far. */
  issuers(): readonly Declared[];
}

/** Why a credential is left out: at which field, in words that follow "has a credential that", and what to do. */
interface Fault {
  /** Null for the whole credential. */
  readonly field: string | null;
  readonly what: string;
  readonly instead: string;
}

/** The keys of such a credential (kong/plugins/jwt/daos.lua). */
const credentialKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['consumer', 'key', 'secret', 'rsa_public_key', 'algorithm'],
]);

/** An importer for one file. */
export function tokenKeyImporter(
  consumers: readonly KongConsumer[],
  { audiences }: ImportContext['options'],
): TokenKeyImporter {
  const ids = issuerIds(consumers);
  const issuers = new Map<string, Declared>();

  const readTokens = ({ entity }: KongCredential, { readTokens: read }: KongTokenKeys): KongTokens | Fault => {
    const [unknown] = entity.unknownKeys(credentialKeys);
    if (unknown !== undefined) {
      const what = `has ${quoted(unknown)}, which the importer does not know`;
      return { field: unknown, what, instead: 'correct it: Kong refuses keys that it does not know' };
    }
    for (const field of ['key', 'algorithm', 'rsa_public_key']) {
      if (findPlaceholder(entity.text(field) ?? '') === null) continue;
      return { field, what: `has a placeholder in its "${field}"`, instead: RENDER_FIRST };
    }
    const tokens = read(entity);
    if ('what' in tokens) return tokens;
    const { issuer } = tokens;
    const fault = issuerFields.issuer(issuer);
    if (fault instanceof FieldFault) {
      return { field: 'key', what: 'has a "key" that no "iss" of an issuer can be', instead: 'give it another one' };
    }
    if (issuers.has(issuer)) {
      const what = 'has the same "key" as another credential has, and an issuer has one';
      return { field: 'key', what, instead: 'correct it: Kong refuses a key that is there twice' };
    }
    if (audiences.length === 0) {
      const what = 'takes tokens for any audience, and an issuer here names those that are yours';
      return { field: null, what, instead: 'import again with --audience, the "aud" that its tokens have' };
    }
    if (issuers.size < MAX_ISSUERS) return tokens;
    const what = `is beyond the ${String(MAX_ISSUERS)} issuers that a store has`;
    return { field: null, what, instead: 'have partners use tokens of one issuer, or another method' };
  };

  return {
    issuers: () => [...issuers.values()],
    read: (credential, report, takenIds) => {
      const { kind } = credential;
      if (kind.credential.kind !== 'token-key')
        throw new Error(`${kind.plugin} has no credentials with keys of tokens`);
      const tokens = readTokens(credential, kind.credential);
      if ('what' in tokens) {
        const { field, what, instead } = tokens;
        const message = `has a credential (${kind.credential.list}) that ${what}: it was left out`;
        report('error', field === null ? [] : [field], { what: message, instead });
        return null;
      }
      const { issuer, algorithm, publicKey } = tokens;
      const id = ids.get(issuer) ?? '';
      issuers.set(
        issuer,
        declareIssuer({
          ...issuerDefaults,
          id,
          description: 'Kong jwt_secret',
          issuer,
          keys: { kind: 'jwks', keys: [{ kid: null, alg: algorithm, publicKey }] },
          audiences,
          algorithms: [algorithm],
          // Kong allows clocks no difference.
          clockSkewSeconds: 0,
        }),
      );
      // What Kong sends to back ends as X-Credential-Identifier, where it can be an id.
      const isOwnId = ID_PATTERN.test(issuer) && !takenIds.has(issuer);
      if (isOwnId) takenIds.add(issuer);
      return {
        ...(isOwnId ? { id: issuer } : {}),
        method: kind.method,
        issuer: id,
        claims: { iss: issuer },
      };
    },
  };
}

/** The ids of all issuers that a file may get, by their `iss`. */
function issuerIds(consumers: readonly KongConsumer[]): ReadonlyMap<string, string> {
  const names = new Set(
    consumers.flatMap(({ credentials }) =>
      credentials.flatMap(({ kind, entity }) =>
        kind.credential.kind === 'token-key' ? [entity.text('key') ?? ''] : [],
      ),
    ),
  );
  const named = [...names].map((name) => ({ name, identity: name }));
  const ids = uniqueIds(named);
  return new Map(named.map(({ name }, index) => [name, ids[index] ?? '']));
}
