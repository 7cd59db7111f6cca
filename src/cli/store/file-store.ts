import { randomUUID } from 'node:crypto';
import type { Environment } from '../../base/environment.ts';
import { buildState } from '../../resources/build-state.ts';
import {
  type DocumentContent,
  MAX_DOCUMENT_BYTES,
  parseDocument,
  type ParseOptions,
} from '../../resources/parse-document.ts';
import { formatProblem } from '../../model/document/problem.ts';
import { anySecret, type ReadSecret, secretReader } from '../../resources/secret-source.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import { isNamedLike } from '../../resources/changes/named-like.ts';
import type { ResourceStore, SystemOfRecord } from '../../resources/changes/resource-store.ts';
import { idOfResource } from '../../resources/declare-resource.ts';
import type { Declared } from '../../resources/declared.ts';
import type { ManagedCredential, ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { carries } from '../../model/labels.ts';
import { isGroupGrant } from '../../model/grant.ts';
import { mapSecrets } from '../../model/material.ts';
import { Secret } from '../../model/secret.ts';
import { readWholeFile } from '../../base/files/read-whole-file.ts';
import { FileStoreRefusal } from '../failure.ts';
import type { SecretsNeeded } from '../opened-store.ts';
import { createProcessTraffic } from './process-traffic.ts';

type Resources = { readonly [K in ResourceKind]: ReadonlyMap<string, Stored<ResourceOf[K]>> };

/**
 * Reads a declarative file once, as a store that takes no changes. Revisions and times are 0: a file has none. Rejects
 * with an error that holds the problems of the file, one a line.
 */
export async function openFileStore(
  path: string,
  environment: Environment,
  needsSecrets: SecretsNeeded,
): Promise<SystemOfRecord> {
  const unread = new Map<string, string>();
  const content = await readContent(path, {
    isComplete: true,
    readSecret: readerFor(needsSecrets, environment, unread),
  });
  return {
    resources: resourceStore(path, resourcesOf(content, unread)),
    due: null,
    directory: null,
    usage: { usageOf: async () => await Promise.resolve(new Map()) },
    traffic: createProcessTraffic(environment),
    audit: { events: () => withoutTrail(path), keep: () => withoutTrail(path) },
    refusals: null,
    sealed: null,
    isTokenRevoked: null,
    sessions: null,
    once: null,
    jobs: null,
    replicas: null,
    file: path,
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
    },
  };
}

/** The endpoints of a declarative file, which may lack secrets. Rejects as {@link openFileStore} does. */
export async function readFileEndpoints(path: string): Promise<readonly Endpoint[]> {
  return (await readContent(path, { isComplete: false, readSecret: anySecret })).endpoints;
}

async function readContent(path: string, options: ParseOptions): Promise<DocumentContent> {
  const read = await readWholeFile(path, MAX_DOCUMENT_BYTES);
  if (read.kind !== 'read') throw new Error(`${path}: ${read.kind === 'faulty' ? read.message : 'it keeps changing'}`);
  const parsed = parseDocument([{ file: path, text: read.text }], options);
  if ('problems' in parsed) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  return parsed.content;
}

function resourceStore(path: string, resources: Resources): ResourceStore {
  return {
    maxChangesPerCommit: 0,
    find: async (kind, id) => await Promise.resolve(resources[kind].get(id) ?? null),
    list: async function* (
      kind,
      {
        ids,
        consumerId,
        consumerIds,
        endpointId,
        endpointIds,
        isForGroup,
        appKeyHashes,
        issuerId,
        labels = {},
        namedLike,
      } = {},
    ) {
      const filters = [
        { field: 'consumerId', values: consumerId === undefined ? undefined : [consumerId] },
        { field: 'consumerId', values: consumerIds },
        { field: 'endpointId', values: endpointId === undefined ? undefined : [endpointId] },
        { field: 'endpointId', values: endpointIds },
        { field: 'appKeyHash', values: appKeyHashes },
      ].flatMap(({ field, values }) => (values === undefined ? [] : [{ field, values: new Set<unknown>(values) }]));
      for (const id of ids ?? resources[kind].keys()) {
        const stored = resources[kind].get(id);
        if (stored === undefined || (isForGroup === true && !isGroupGrant(stored.resource))) continue;
        const fields: Declared = { ...stored.resource };
        if ('labels' in stored.resource && !carries(stored.resource.labels, labels)) continue;
        if (issuerId !== undefined && !namesIssuer(stored.resource, issuerId)) continue;
        if (namedLike !== undefined && !isNamedLike({ id, ...fields }, namedLike)) continue;
        if (filters.every(({ field, values }) => values.has(fields[field]))) yield await Promise.resolve(stored);
      }
    },
    commit: async () => await Promise.reject(new FileStoreRefusal(path)),
  };
}

/** Whether a credential names an issuer. */
function namesIssuer(resource: object, issuerId: string): boolean {
  if (!('material' in resource)) return false;
  const { material } = resource as ManagedCredential;
  return material.kind === 'token-claims' && material.issuerId === issuerId;
}

/** A secret that a file names and that cannot be read here. */
class UnreadSecret extends Secret {
  readonly #why: string;

  constructor(why: string) {
    super(Buffer.alloc(0));
    this.#why = why;
  }

  override reveal(): Buffer {
    throw new Error(this.#why);
  }
}

/** @param unread takes why secrets cannot be read, by the text that stands for each */
function readerFor(needed: SecretsNeeded, environment: Environment, unread: Map<string, string>): ReadSecret {
  if (needed === false) return anySecret;
  const read = secretReader({ environment });
  if (needed !== 'where-possible') return read;
  return (reference, documentFile) => {
    const answer = read(reference, documentFile);
    if ('text' in answer) return answer;
    const text = randomUUID();
    unread.set(text, `"appSecretFrom" ${answer.fault}`);
    return { text };
  };
}

function withUnread(credential: ManagedCredential, unread: ReadonlyMap<string, string>): ManagedCredential {
  const read = (secret: Secret): Secret => {
    const why = unread.get(textOf(secret));
    return why === undefined ? secret : new UnreadSecret(why);
  };
  return { ...credential, material: mapSecrets(credential.material, read) };
}

function resourcesOf(content: DocumentContent, unread: ReadonlyMap<string, string>): Resources {
  const { endpoints, consumers, credentials, grants, plans, issuers } = buildState(content);
  // `buildState` keeps the order of the document, and the App Keys are only there.
  const managed = credentials.map((credential, index): ManagedCredential => {
    const appKey = content.credentials[index]?.appKey ?? null;
    const known = { ...credential, appKey: appKey === null ? null : Secret.fromText(appKey) };
    return unread.size === 0 ? known : withUnread(known, unread);
  });
  return {
    endpoint: inOrder(endpoints),
    consumer: inOrder(consumers),
    credential: inOrder(managed),
    grant: inOrder(grants),
    plan: inOrder(plans),
    issuer: inOrder(issuers),
    operator: new Map(),
  };
}

function inOrder<T extends ResourceOf[ResourceKind]>(resources: readonly T[]): ReadonlyMap<string, Stored<T>> {
  const entries = resources.map((resource) => {
    const stored = { resource, revision: 0, createdAt: 0, updatedAt: 0 };
    return [idOfResource(resource), stored] as const;
  });
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
}

function withoutTrail(path: string): never {
  throw new Error(`${path} is a file, which keeps no audit trail; see its version control`);
}
