import { isMapping, timeField } from '../../../model/document/fields.ts';
import { type PlainProblem, readPlain, type Reader } from '../../../model/document/read-plain.ts';
import type { Operator, OperatorToken } from '../../../model/operator.ts';
import { readConsumerAlone } from '../../consumer.ts';
import { declareWholeResource } from '../../declare-resource.ts';
import { type Declared, declareTime } from '../../declared.ts';
import { readEndpoint } from '../../endpoint.ts';
import { readGrant } from '../../grant.ts';
import { readIssuerAlone } from '../../issuer.ts';
import { readOperator } from '../../operator.ts';
import { readPlan } from '../../plan.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resource.ts';
import type { Usage } from '../resource-store.ts';
import { declareKnown, readKeptCredential } from './credential-record.ts';

/** A resource as the management API gives it to commands: everything but its secrets, as JSON. */
export interface ResourceRecord {
  readonly resource: Declared;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Of a credential: what is known of its App Key without showing it. */
  readonly known?: Declared;
  /** Of a credential that was used. */
  readonly usage?: { readonly lastUsedAt?: string; readonly retiringSecretLastUsedAt?: string };
}

/** What a record says beside the resource. */
interface ToldBeside {
  /** When a credential was used. */
  readonly usage?: Usage | null;
  /** The hashes of App Keys that were asked for. */
  readonly askedHashes?: readonly string[] | undefined;
}

/** A resource for commands. */
export function declareRecord<K extends ResourceKind>(
  kind: K,
  { resource, revision, createdAt, updatedAt }: Stored<ResourceOf[K]>,
  { usage = null, askedHashes = [] }: ToldBeside = {},
): ResourceRecord {
  const used = usage === null ? {} : { usage: declareUsage(usage) };
  return {
    resource: declareWholeResource(kind, resource),
    revision,
    createdAt: declareTime(createdAt),
    updatedAt: declareTime(updatedAt),
    ...('material' in resource ? { known: declareKnown(resource, askedHashes), ...used } : {}),
  };
}

/** What a record is not, in words for people. */
export class RecordFault extends Error {
  override readonly name = 'RecordFault';
}

/** Reads a record of another process. Throws {@link RecordFault} for what is none. */
export function readRecord<K extends ResourceKind>(kind: K, raw: unknown): Stored<ResourceOf[K]> {
  const { resource, revision, createdAt, updatedAt, known } = mappingOf(raw, kind);
  const times = [createdAt, updatedAt].map((time) => timeField(time));
  const [created, updated] = times;
  if (typeof revision !== 'number' || typeof created !== 'number' || typeof updated !== 'number') {
    throw new RecordFault(`a ${kind} without revision and times`);
  }
  const read =
    kind === 'credential'
      ? readKeptCredential(mappingOf(resource, kind), mappingOf(known, kind))
      : readDeclared(kind, resource, resource);
  if ('problems' in read) throw new RecordFault(describeProblems(kind, read.problems));
  return { resource: read.value as ResourceOf[K], revision, createdAt: created, updatedAt: updated };
}

/** When a credential was used, as its record says; null for never. */
export function readRecordUsage(raw: unknown): Usage | null {
  const { usage } = mappingOf(raw, 'credential');
  if (!isMapping(usage)) return null;
  const [lastUsedAt, former] = [usage['lastUsedAt'], usage['retiringSecretLastUsedAt']].map((time) => timeField(time));
  return {
    lastUsedAt: typeof lastUsedAt === 'number' ? lastUsedAt : null,
    retiringSecretLastUsedAt: typeof former === 'number' ? former : null,
  };
}

/** The kinds whose declared form holds everything, or all but hashes of tokens. */
export type PlainKind = Exclude<ResourceKind, 'credential'>;

const readers: { readonly [K in PlainKind]: Reader<ResourceOf[K]> } = {
  endpoint: readEndpoint,
  consumer: readConsumerAlone,
  grant: readGrant,
  plan: readPlan,
  issuer: readIssuerAlone,
  operator: readOperatorWithTokens,
};

/**
 * Reads a resource of the words of a declarative file, by the rules of its kind.
 *
 * @param stored what the store has of it, where it has something: beyond a bound, that may stay or shrink
 */
export function readDeclared<K extends PlainKind>(
  kind: K,
  raw: unknown,
  stored?: unknown,
): { readonly value: ResourceOf[K] } | { readonly problems: readonly PlainProblem[] } {
  return readPlain<ResourceOf[K]>(raw, readers[kind], stored);
}

/** An operator with its tokens; a token without a hash is one that the store has, whose hash is empty here. */
function readOperatorWithTokens(...[raw, place, problems]: Parameters<Reader<Operator>>): Operator | null {
  if (!isMapping(raw)) return readOperator(raw, place, problems);
  const { tokens, ...own } = raw;
  const operator = readOperator(own, place, problems);
  if (operator === null) return null;
  const read = (Array.isArray(tokens) ? tokens : []).map(readToken);
  if (read.every((token) => token !== null)) return { ...operator, tokens: read };
  problems.report(place, '"tokens" must be a list of tokens with "id", "createdAt" and "expiresAt"');
  return null;
}

const TOKEN_ID = /^[0-9a-z-]{1,63}$/;
const TOKEN_HASH = /^[0-9a-f]{64}$/;

function readToken(raw: unknown): OperatorToken | null {
  if (!isMapping(raw)) return null;
  const { id, hash = '' } = raw;
  const [createdAt, expiresAt] = [raw['createdAt'], raw['expiresAt']].map((time) => timeField(time));
  if (typeof id !== 'string' || !TOKEN_ID.test(id)) return null;
  if (typeof hash !== 'string' || (hash !== '' && !TOKEN_HASH.test(hash))) return null;
  if (typeof createdAt !== 'number' || typeof expiresAt !== 'number') return null;
  return { id, hash, createdAt, expiresAt };
}

/** A resource as a change sends it, credentials but their secrets; tokens that are new have their hash. */
export function declareForChange<K extends PlainKind>(kind: K, resource: ResourceOf[K]): Declared {
  const declared = declareWholeResource(kind, resource);
  if (kind !== 'operator') return declared;
  const { tokens } = resource as Operator;
  const sent = tokens.map(({ id, hash, createdAt, expiresAt }) => ({
    id,
    createdAt: declareTime(createdAt),
    expiresAt: declareTime(expiresAt),
    ...(hash === '' ? {} : { hash }),
  }));
  return { ...declared, tokens: sent };
}

/** Several problems in one line. */
export function describeProblems(kind: ResourceKind, problems: readonly PlainProblem[]): string {
  return `${kind}: ${problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')}`;
}

function declareUsage({ lastUsedAt, retiringSecretLastUsedAt }: Usage): NonNullable<ResourceRecord['usage']> {
  return {
    ...(lastUsedAt === null ? {} : { lastUsedAt: declareTime(lastUsedAt) }),
    ...(retiringSecretLastUsedAt === null ? {} : { retiringSecretLastUsedAt: declareTime(retiringSecretLastUsedAt) }),
  };
}

function mappingOf(raw: unknown, kind: ResourceKind): Declared {
  if (isMapping(raw)) return raw;
  throw new RecordFault(`a ${kind} that is no object`);
}
