import type { Consumer } from '../model/consumer.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';
import type { Issuer } from '../model/issuer.ts';
import type { Plan } from '../model/plan.ts';
import {
  checkCollisions,
  checkPlanReferences,
  checkReferences,
  checkUniqueAppKeys,
  checkUniqueGrants,
  checkUniqueIds,
  checkUniqueIssuers,
  checkUniquePriorities,
  type Declared,
} from './cross-references.ts';
import { type DocumentCredential, type ReadCredential, readCredentialsOf } from './credential.ts';
import { choiceField, isMapping, namesIn, nestedList } from '../model/document/fields.ts';
import { readLargeTree } from '../model/document/large/read-large-tree.ts';
import type { Problem } from '../model/document/problem.ts';
import { type Place, type Placed, placeIn, ProblemLog } from '../model/document/problem-log.ts';
import type { LabelSelector } from '../model/labels.ts';
import { checkCounts } from './check-counts.ts';
import { checkLabels, checkPlanLabels } from './check-labels.ts';
import { chooseSelector, documentSelectorField } from './document-selector.ts';
import { consumerKind, readConsumer } from './consumer.ts';
import { endpointKind, readEndpoint } from './endpoint.ts';
import { grantKind, readGrant } from './grant.ts';
import { checkClaimNames, checkIssuerReferences } from './issuer-references.ts';
import { issuerKind, readIssuer } from './issuer.ts';
import { planKind, readPlan } from './plan.ts';
import { readList, readMapping } from '../model/document/read-mapping.ts';
import { readTree } from '../model/document/read-tree.ts';
import type { CredentialContext } from './app-secret.ts';
import { keyFileReader, type ReadKeyFile, type ReadSecret } from './secret-source.ts';
import type { DocumentSource, UnreadSource } from '../model/document/source-text.ts';
import { reportUnseen } from '../model/document/unseen-texts.ts';
import { readYamlTree, unreadTree, type YamlTree } from '../model/document/yaml-tree.ts';

/** A set of documents, validated: defaults are filled in, references resolve, nothing appears twice. */
export interface DocumentContent {
  readonly endpoints: readonly Endpoint[];
  readonly consumers: readonly Consumer[];
  /** In the order of the document, consumer by consumer. */
  readonly credentials: readonly DocumentCredential[];
  readonly grants: readonly Grant[];
  readonly plans: readonly Plan[];
  readonly issuers: readonly Issuer[];
}

/** How a set of documents is read. */
export interface ParseOptions {
  readonly readSecret: ReadSecret;
  /** Reads the files of `publicKey: { file: PATH }`; from the disk where it is left out. */
  readonly readKeyFile?: ReadKeyFile;
  /**
   * True for a file store: a missing App Key or App Secret is a problem, also to `validate`.
   * False for `apply` and `diff`, which keep stored secrets and generate missing pairs (spec §6), and for
   * `validate --without-secrets`.
   */
  readonly isComplete: boolean;
}

/** The content of a set of documents, or everything that is wrong with it, by file and position. */
export type ParsedDocument = { readonly content: DocumentContent } | { readonly problems: readonly Problem[] };

const documentKind = {
  what: 'a declarative document',
  fields: {
    version: choiceField([1]),
    selector: documentSelectorField,
    endpoints: nestedList(endpointKind),
    consumers: nestedList(consumerKind),
    grants: nestedList(grantKind),
    plans: nestedList(planKind),
    issuers: nestedList(issuerKind),
  },
  required: ['version'],
} as const;

/** The keys of declarative documents: nothing else of their texts is repeated. */
export const documentNames: ReadonlySet<string> = new Set(namesIn(documentKind));

/**
 * The largest file of any form, and of a file store: the YAML library takes up to 80 times its size in memory, and a
 * second per 1.5 MB.
 */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** The largest file in JSON, or of the form that `postern export` writes. */
export const MAX_LARGE_DOCUMENT_BYTES = 128 * 1024 * 1024;

/**
 * Reads files that together are one declarative document; references may lead from one to another (interfaces §4).
 * Reports every problem at once. Never throws, whatever the texts.
 */
export function parseDocument(
  sources: readonly (DocumentSource | UnreadSource)[],
  options: ParseOptions,
): ParsedDocument {
  const parsed = parsePlacedDocument(sources, { ...options, references: 'document' });
  if ('problems' in parsed) return parsed;
  const { endpoints, consumers, credentials, grants, plans, issuers } = parsed.document;
  return {
    content: {
      endpoints: endpoints.map(({ value }) => value),
      consumers: consumers.map(({ value }) => value),
      credentials: credentials.map(({ value }) => value),
      grants: grants.map(({ value }) => value),
      plans: plans.map(({ value }) => value),
      issuers: issuers.map(({ value }) => value),
    },
  };
}

/** A faultless document with the place of everything in it. */
export interface PlacedDocument {
  readonly endpoints: readonly Placed<Endpoint>[];
  readonly consumers: readonly Placed<Consumer>[];
  /** In the order of the document, consumer by consumer. */
  readonly credentials: readonly Placed<DocumentCredential>[];
  readonly grants: readonly Placed<Grant>[];
  readonly plans: readonly Placed<Plan>[];
  readonly issuers: readonly Placed<Issuer>[];
  /** The labels that all of it carries; undefined for a document about everything. */
  readonly selector: LabelSelector | undefined;
  /** Takes the problems that are found later. */
  readonly problems: ProblemLog;
}

/** How a document is read whose places are kept. */
export interface PlacedOptions extends ParseOptions {
  /**
   * Where they lead: into the document, or `elsewhere`, for the caller to check. `as-selected`: into the document, and
   * elsewhere where it has a selector.
   */
  readonly references: 'document' | 'elsewhere' | 'as-selected';
  /** Of the command: without it, that of the document counts. */
  readonly selector?: LabelSelector | undefined;
}

/**
 * Reads a document like {@link parseDocument} and keeps the place of everything. With a selector, endpoints and
 * consumers without its labels are problems.
 */
export function parsePlacedDocument(
  sources: readonly (DocumentSource | UnreadSource)[],
  { references, selector: given, readKeyFile = keyFileReader(), ...options }: PlacedOptions,
): { readonly document: PlacedDocument } | { readonly problems: readonly Problem[] } {
  const trees = sources.map(treeOf);
  const problems = new ProblemLog(trees, (key) => documentNames.has(key));
  const context: CredentialContext = { problems, readKeyFile, ...options };
  const endpoints: ReadItem<Endpoint>[] = [];
  const consumers: ReadItem<Consumer>[] = [];
  const credentials: ReadCredential[] = [];
  const grants: ReadItem<Grant>[] = [];
  const plans: ReadItem<Plan>[] = [];
  const issuers: ReadItem<Issuer>[] = [];
  const selectors: Placed<LabelSelector>[] = [];
  for (const tree of trees) {
    const root: Place = { tree, path: [] };
    if (tree.value === null) {
      problems.reportMissing(root, 'the file is empty; a declarative document begins with "version: 1"');
      continue;
    }
    if (isMapping(tree.value) && Object.hasOwn(tree.value, KONG_MARK)) {
      problems.report(placeIn(root, KONG_MARK), OF_KONG);
      continue;
    }
    const values = readMapping(tree.value, root, documentKind, problems);
    if (values?.selector !== undefined) selectors.push({ value: values.selector, place: placeIn(root, 'selector') });
    reportUnseen({ selector: values?.selector }, root, problems);
    for (const { raw, place } of itemsOf(values?.endpoints, placeIn(root, 'endpoints'), problems)) {
      endpoints.push({ raw, place, value: readEndpoint(raw, place, problems) });
      reportUnseen(raw, place, problems);
    }
    for (const { raw, place } of itemsOf(values?.consumers, placeIn(root, 'consumers'), problems)) {
      consumers.push({ raw, place, value: readConsumer(raw, place, problems) });
      reportUnseen(raw, place, problems);
      credentials.push(...readCredentialsOf(raw, place, context));
    }
    for (const { raw, place } of itemsOf(values?.grants, placeIn(root, 'grants'), problems)) {
      grants.push({ raw, place, value: readGrant(raw, place, problems) });
      reportUnseen(raw, place, problems);
    }
    for (const { raw, place } of itemsOf(values?.plans, placeIn(root, 'plans'), problems)) {
      plans.push({ raw, place, value: readPlan(raw, place, problems) });
      reportUnseen(raw, place, problems);
    }
    for (const { raw, place } of itemsOf(values?.issuers, placeIn(root, 'issuers'), problems)) {
      issuers.push({ raw, place, value: readIssuer(raw, place, context) });
      reportUnseen(raw, place, problems);
    }
  }
  const before = problems.count;
  const selector = chooseSelector(selectors, given, problems);
  const isAgreed = problems.count === before;
  const document = {
    endpoints: endpoints.flatMap(rightOnly),
    consumers: consumers.flatMap(rightOnly),
    credentials: credentials.flatMap(rightOnly),
    grants: grants.flatMap(rightOnly),
    plans: plans.flatMap(rightOnly),
    issuers: issuers.flatMap(rightOnly),
    selector,
    problems,
  };
  const endpointIds = checkUniqueIds(endpoints.map(declaredBy), 'endpoint', problems);
  const consumerIds = checkUniqueIds(consumers.map(declaredBy), 'consumer', problems);
  checkUniqueIds(credentials, 'credential', problems);
  checkUniqueAppKeys(credentials, problems);
  checkUniqueGrants(document.grants, problems);
  checkUniqueIds(plans.map(declaredBy), 'plan', problems);
  checkUniquePriorities(document.plans, problems);
  const issuerIds = checkUniqueIds(issuers.map(declaredBy), 'issuer', problems);
  checkUniqueIssuers(document.issuers, problems);
  checkCounts(document, problems);
  checkClaimNames(document.credentials, problems);
  const areWhole = references === 'document' || (references === 'as-selected' && selector === undefined);
  if (areWhole) {
    checkReferences(document.grants, endpointIds, consumerIds, problems);
    checkPlanReferences(document.plans, endpointIds, problems);
    checkIssuerReferences(document.credentials, issuerIds, problems);
  }
  checkCollisions(document.endpoints, problems);
  // Where selectors differ, which of them the labels should be is open.
  if (selector !== undefined && isAgreed) {
    checkLabels('endpoint', document.endpoints, selector, problems);
    checkLabels('consumer', document.consumers, selector, problems);
    checkLabels('issuer', document.issuers, selector, problems);
    checkPlanLabels(document.plans, selector, problems);
  }
  return problems.count > 0 ? { problems: problems.sorted() } : { document };
}

/** What every declarative configuration of Kong begins with. */
const KONG_MARK = '_format_version';
const OF_KONG =
  'this is a configuration of Kong; turn it into a declarative document: postern import kong -f FILE --to postern.yaml';

/** An item of a list; its value is null when a problem was reported. */
interface ReadItem<T> extends Placed<T | null> {
  readonly raw: unknown;
}

function rightOnly<T>({ value, place }: Placed<T | null>): readonly Placed<T>[] {
  return value === null ? [] : [{ value, place }];
}

/** The id of an item, even a faulty one, where it is a text. */
function declaredBy({ raw, place }: ReadItem<unknown>): Declared {
  const id: unknown = isMapping(raw) ? raw['id'] : null;
  return { id: typeof id === 'string' ? id : null, place };
}

/** Shorter texts are read at once, whatever their form: that takes no noticeable time or memory. */
const LARGE_CHARACTERS = 64 * 1024;

function treeOf(source: DocumentSource | UnreadSource): YamlTree {
  if ('message' in source) return unreadTree(source);
  const { text, file } = source;
  if (text.length < LARGE_CHARACTERS) return readTree(source);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_LARGE_DOCUMENT_BYTES)
    return unreadTree({ file, line: 1, message: tooLarge(MAX_LARGE_DOCUMENT_BYTES) });
  const fitsLibrary = bytes <= MAX_DOCUMENT_BYTES;
  const large = readLargeTree(source, fitsLibrary ? 'give-up' : 'report');
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
