import type { Consumer } from '../model/consumer.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';
import {
  checkCollisions,
  checkReferences,
  checkUniqueAppKeys,
  checkUniqueGrants,
  checkUniqueIds,
  type Declared,
} from './cross-references.ts';
import { type DocumentCredential, type ReadCredential, readCredentialsOf } from './credential.ts';
import { choiceField, namesIn, nestedList } from '../document/fields.ts';
import { readLargeTree } from '../document/large/read-large-tree.ts';
import type { Problem } from '../document/problem.ts';
import { type Place, placeIn, ProblemLog } from '../document/problem-log.ts';
import { consumerKind, readConsumer } from './consumer.ts';
import { endpointKind, readEndpoint } from './endpoint.ts';
import { grantKind, readGrant } from './grant.ts';
import { hasKey, readList, readMapping } from '../document/read-mapping.ts';
import type { CredentialContext } from './app-secret.ts';
import type { ReadSecret } from './secret-source.ts';
import type { DocumentSource, UnreadSource } from '../document/source-text.ts';
import { readYamlTree, unreadTree, type YamlTree } from '../document/yaml-tree.ts';

/** A set of documents, validated: defaults are filled in, references resolve, nothing is there twice. */
export interface DocumentContent {
  readonly endpoints: readonly Endpoint[];
  readonly consumers: readonly Consumer[];
  /** In the order of the document, consumer by consumer. */
  readonly credentials: readonly DocumentCredential[];
  readonly grants: readonly Grant[];
}

/** How a set of documents is read. */
export interface ParseOptions {
  readonly readSecret: ReadSecret;
  /**
   * True for a file store and `validate`: a missing App Key or App Secret is a problem.
   * False for `apply` and `diff`, which keep stored secrets and generate missing pairs (spec §6).
   */
  readonly isComplete: boolean;
}

/** What a set of documents says, or everything that is wrong with it, by file and position. */
export type ParsedDocument = { readonly content: DocumentContent } | { readonly problems: readonly Problem[] };

const documentKind = {
  what: 'a declarative document',
  fields: {
    version: choiceField([1]),
    endpoints: nestedList(endpointKind),
    consumers: nestedList(consumerKind),
    grants: nestedList(grantKind),
  },
  required: ['version'],
} as const;

/** The keys of declarative documents: all that is repeated of their texts. */
export const documentNames: ReadonlySet<string> = new Set(namesIn(documentKind));

/**
 * What a file of any form can have at most, and a file store: the YAML library takes up to 80 times its size in memory,
 * and a second per 1.5 MB.
 */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** What a file in JSON, or of the form that `postern export` writes, can have at most. */
export const MAX_LARGE_DOCUMENT_BYTES = 128 * 1024 * 1024;

/**
 * Reads files that together are one declarative document; references may lead from one to another (interfaces §4).
 * Every problem is told at once. Never throws, whatever the texts.
 */
export function parseDocument(
  sources: readonly (DocumentSource | UnreadSource)[],
  options: ParseOptions,
): ParsedDocument {
  const parsed = parsePlacedDocument(sources, { ...options, references: 'document' });
  if ('problems' in parsed) return parsed;
  const { endpoints, consumers, credentials, grants } = parsed.document;
  return {
    content: {
      endpoints: endpoints.map(({ value }) => value),
      consumers: consumers.map(({ value }) => value),
      credentials: credentials.map(({ value }) => value),
      grants: grants.map(({ value }) => value),
    },
  };
}

/** Something of a document with the place where it stands, for problems that show only beside a store. */
export interface Placed<T> {
  readonly value: T;
  readonly place: Place;
}

/** A faultless document with the place of everything in it. */
export interface PlacedDocument {
  readonly endpoints: readonly Placed<Endpoint>[];
  readonly consumers: readonly Placed<Consumer>[];
  /** In the order of the document, consumer by consumer. */
  readonly credentials: readonly Placed<DocumentCredential>[];
  readonly grants: readonly Placed<Grant>[];
  /** Takes the problems that are found later. */
  readonly problems: ProblemLog;
}

/** How documents are read whose places are kept. */
export interface PlacedParseOptions extends ParseOptions {
  /** Where grants may lead: with `elsewhere`, the caller looks at those that lead to nothing in the document. */
  readonly references: 'document' | 'elsewhere';
}

/** Reads a document like {@link parseDocument} and keeps the place of everything. */
export function parsePlacedDocument(
  sources: readonly (DocumentSource | UnreadSource)[],
  { references, ...options }: PlacedParseOptions,
): { readonly document: PlacedDocument } | { readonly problems: readonly Problem[] } {
  const trees = sources.map(treeOf);
  const problems = new ProblemLog(trees, (key) => documentNames.has(key));
  const context: CredentialContext = { problems, ...options };
  const endpoints: { raw: unknown; place: Place; endpoint: Endpoint | null }[] = [];
  const consumers: { raw: unknown; place: Place; consumer: Consumer | null }[] = [];
  const credentials: ReadCredential[] = [];
  const grants: { grant: Grant; place: Place }[] = [];
  for (const tree of trees) {
    const root: Place = { tree, path: [] };
    if (tree.value === null) {
      problems.report(root, 'the file is empty; a declarative document begins with "version: 1"', {
        absentFrom: 'file',
      });
      continue;
    }
    const values = readMapping(tree.value, root, documentKind, problems);
    for (const { raw, place } of itemsOf(values?.endpoints, placeIn(root, 'endpoints'), problems)) {
      endpoints.push({ raw, place, endpoint: readEndpoint(raw, place, problems) });
    }
    for (const { raw, place } of itemsOf(values?.consumers, placeIn(root, 'consumers'), problems)) {
      consumers.push({ raw, place, consumer: readConsumer(raw, place, problems) });
      credentials.push(...readCredentialsOf(raw, place, context));
    }
    for (const { raw, place } of itemsOf(values?.grants, placeIn(root, 'grants'), problems)) {
      const grant = readGrant(raw, place, problems);
      if (grant !== null) grants.push({ grant, place });
    }
  }
  const endpointIds = checkUniqueIds(declaredIn(endpoints), 'endpoint', problems);
  const consumerIds = checkUniqueIds(declaredIn(consumers), 'consumer', problems);
  checkUniqueIds(withId(credentials), 'credential', problems);
  checkUniqueAppKeys(withAppKey(credentials), problems);
  checkUniqueGrants(grants, problems);
  if (references === 'document') checkReferences(grants, endpointIds, consumerIds, problems);
  checkCollisions(present(endpoints), problems);
  if (problems.count > 0) return { problems: problems.sorted() };
  return {
    document: {
      endpoints: endpoints.flatMap(({ endpoint, place }) => placed(endpoint, place)),
      consumers: consumers.flatMap(({ consumer, place }) => placed(consumer, place)),
      credentials: credentials.flatMap(({ credential, place }) => placed(credential, place)),
      grants: grants.flatMap(({ grant, place }) => placed(grant, place)),
      problems,
    },
  };
}

function placed<T>(value: T | null, place: Place): readonly Placed<T>[] {
  return value === null ? [] : [{ value, place }];
}

/** Shorter texts are read by the YAML library: it takes no time that anybody notices. */
const LARGE_CHARACTERS = 64 * 1024;

function treeOf(source: DocumentSource | UnreadSource): YamlTree {
  if ('message' in source) return unreadTree(source);
  const { text, file } = source;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_LARGE_DOCUMENT_BYTES)
    return unreadTree({ file, line: 1, message: tooLarge(MAX_LARGE_DOCUMENT_BYTES) });
  const fitsLibrary = bytes <= MAX_DOCUMENT_BYTES;
  const large = text.length < LARGE_CHARACTERS ? null : readLargeTree(source, fitsLibrary ? 'give-up' : 'tell');
  if (large !== null) return large;
  if (fitsLibrary) return readYamlTree(source);
  const why = `${tooLarge(MAX_DOCUMENT_BYTES)}, and is neither JSON nor of the form that "postern export" writes; write it so, or divide it`;
  return unreadTree({ file, line: 1, message: why });
}

function tooLarge(maxBytes: number): string {
  return `the file is larger than ${String(maxBytes / 1024 / 1024)} MiB`;
}

function itemsOf(raw: unknown, place: Place, problems: ProblemLog): readonly { raw: unknown; place: Place }[] {
  return (readList(raw, place, problems) ?? []).map((item, index) => ({ raw: item, place: placeIn(place, index) }));
}

/** What has an id as a text, even a faulty one. */
function declaredIn(items: readonly { readonly raw: unknown; readonly place: Place }[]): readonly Declared[] {
  return items.flatMap(({ raw, place }) => {
    const id = hasKey(raw, 'id') ? (raw as { readonly id: unknown }).id : null;
    return typeof id === 'string' ? [{ id, place }] : [];
  });
}

function withId(items: readonly { readonly id: string | null; readonly place: Place }[]): readonly Declared[] {
  return items.flatMap(({ id, place }) => (id === null ? [] : [{ id, place }]));
}

function withAppKey(
  items: readonly { readonly appKeyHash: string | null; readonly place: Place }[],
): readonly { appKeyHash: string; place: Place }[] {
  return items.flatMap(({ appKeyHash, place }) => (appKeyHash === null ? [] : [{ appKeyHash, place }]));
}

function present(
  items: readonly { readonly endpoint: Endpoint | null; readonly place: Place }[],
): readonly { endpoint: Endpoint; place: Place }[] {
  return items.flatMap(({ endpoint, place }) => (endpoint === null ? [] : [{ endpoint, place }]));
}
