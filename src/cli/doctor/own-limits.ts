import type { Environment } from '../../base/environment.ts';
import { hasLasting, type Lasting } from '../../check/limit/lasting-limits.ts';
import type { Credential } from '../../model/credential.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { buildState } from '../../resources/build-state.ts';
import type { NamingCredential } from './envoy/certificate-chain-rules.ts';
import { MAX_DOCUMENT_BYTES, parseDocument } from '../../resources/parse-document.ts';
import { describeGrant } from '../../resources/grant.ts';
import { secretReader } from '../../resources/secret-source.ts';
import { readWholeFile } from '../../base/files/read-whole-file.ts';

/** What Postern itself would count requests against. */
export interface OwnLimits {
  /** Whether a rate limit service is configured. */
  readonly hasService: boolean;
  /** Endpoints, grants and plans that have limits, in words; null when the store cannot be read. */
  readonly holders: readonly string[] | null;
}

/** What is known without a look at the store. */
export const unknownLimits: OwnLimits = { hasService: false, holders: null };

const unreadContent: OwnContent = { holders: null, lasting: null, endpoints: null, naming: null };

/** Of a store with thousands of grants, enough to report. */
const MAX_HOLDERS = 100;

/** What a store says for a look at Envoy; null when it cannot be read. */
export interface OwnContent {
  readonly holders: OwnLimits['holders'];
  /** Those of the holders whose limits last an hour or longer. */
  readonly lasting: OwnLimits['holders'];
  readonly endpoints: readonly Endpoint[] | null;
  /** The credentials that are known by names in certificates, without revoked ones. */
  readonly naming: readonly NamingCredential[] | null;
}

/** Reads a declarative file. Nothing is known of one that cannot be read, which is a finding of another check. */
export async function readOwnContent(path: string, environment: Environment): Promise<OwnContent> {
  const read = await readWholeFile(path, MAX_DOCUMENT_BYTES);
  if (read.kind !== 'read') return unreadContent;
  const parsed = parseDocument([{ file: path, text: read.text }], {
    isComplete: true,
    readSecret: secretReader({ environment }),
  });
  if ('problems' in parsed) return unreadContent;
  const { endpoints, grants, plans } = parsed.content;
  const holdersOf = (hasSome: (limits: readonly Lasting[] | null) => boolean): readonly string[] =>
    [
      ...endpoints.filter(({ limits }) => hasSome(limits)).map(({ id }) => `endpoint ${id}`),
      ...grants.filter(({ limits }) => hasSome(limits)).map(describeGrant),
      ...plans.filter(({ limits }) => hasSome(limits)).map(({ id }) => `plan ${id}`),
    ].slice(0, MAX_HOLDERS);
  return {
    holders: holdersOf((limits) => limits !== null && limits.length > 0),
    lasting: holdersOf(hasLasting),
    endpoints,
    naming: buildState(parsed.content).credentials.flatMap(namingCredential),
  };
}

/** A credential that is known by names in certificates, with the authorities that it names; not a revoked one. */
export function namingCredential({
  id,
  state,
  material,
}: Pick<Credential, 'id' | 'state' | 'material'>): readonly NamingCredential[] {
  if (state === 'revoked' || material.kind !== 'certificate') return [];
  return 'authorities' in material.identity ? [{ id, authorities: material.identity.authorities }] : [];
}
