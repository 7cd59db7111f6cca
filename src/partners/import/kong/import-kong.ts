import { MAX_ENDPOINTS } from '../../../model/bounds.ts';
import type { Declared } from '../../../resources/declared.ts';
import { writeDocument } from '../../../resources/write-document.ts';
import { MAX_DOCUMENT_BYTES, parseDocument } from '../../../resources/parse-document.ts';
import { type Place, ProblemLog } from '../../../model/document/problem-log.ts';
import { formatProblem, isPlainName, type Problem } from '../../../model/document/problem.ts';
import { type DocumentSource, positionFinder, type UnreadSource } from '../../../model/document/source-text.ts';
import { readYamlTree, unreadTree, type YamlTree } from '../../../model/document/yaml-tree.ts';
import { count } from '../../../base/text/printable.ts';
import { readAddressLists } from './address-lists.ts';
import { consumerIds, consumersKeptOut, importConsumers } from './consumers.ts';
import { credentialImporter } from './credentials.ts';
import { declareDraft, draftEndpoints, servedRoutes } from './endpoints.ts';
import { isEmitted } from './match-cell.ts';
import { type Finding, type FindingLevel, findingLog } from './finding.ts';
import { allowedBy, importGrants } from './groups-and-grants.ts';
import type { ImportContext, ImportOptions } from './import-context.ts';
import type { KongConfiguration, KongRoute } from './kong-entities.ts';
import { readKeySchemes } from './key-schemes.ts';
import { findOldBreak, kongYaml } from './kong-yaml.ts';
import { findManifests } from './manifests.ts';
import { effectivePlugins } from './plugins.ts';
import { routeLimits } from './rate-limiting.ts';
import { readConfiguration, rootPlace } from './read-configuration.ts';
import { reportForwarding } from './report-forwarding.ts';
import { tokenKeyImporter } from './token-keys.ts';

/** A declarative document (interfaces §4), and what it does otherwise than Kong. */
export interface ImportedKong {
  readonly endpoints: readonly Declared[];
  readonly issuers: readonly Declared[];
  readonly consumers: readonly Declared[];
  readonly grants: readonly Declared[];
  /** In the order of the file. */
  readonly findings: readonly Finding[];
  /** How many findings there are, those that were too many to keep too. */
  readonly counts: Readonly<Record<FindingLevel, number>>;
  /** Whether App Secrets, or App Keys that are secrets, stand in it. */
  readonly holdsSecrets: boolean;
}

type KongImport = { readonly imported: ImportedKong } | { readonly problems: readonly Problem[] };

/**
 * Turns Kong's declarative configuration (formats 1.1, 2.1 and 3.0; of Kong itself or decK; YAML or JSON) into a
 * declarative document that never lets in more than Kong does: what cannot be judged is refused there, and reported.
 * Never throws for what the file holds; no message holds a key or secret.
 */
export function importKong(source: DocumentSource | UnreadSource, options: ImportOptions): KongImport {
  const tree = treeOf(source);
  const problems = new ProblemLog([tree], isPlainName);
  const findings = findingLog();
  const context: ImportContext = { options, problems, findings };
  const configuration = problems.count > 0 ? null : readConfiguration(tree, context);
  const imported = configuration === null || problems.count > 0 ? null : importConfiguration(configuration, context);
  if (configuration === null || imported === null || problems.count > 0) return { problems: problems.sorted() };
  const root = rootPlace(tree);
  reportDifferences(configuration, root, context);
  if (options.audiences.length > 0 && imported.issuers.length === 0) {
    const what = 'changes nothing: no credential of the file became an issuer';
    findings.about(root, '--audience')('note', [], { what });
  }
  return { imported: { ...imported, findings: findings.sorted(), counts: findings.counts } };
}

function treeOf(source: DocumentSource | UnreadSource): YamlTree {
  if ('message' in source) return unreadTree(source);
  const { file, text } = source;
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) {
    const size = String(MAX_DOCUMENT_BYTES / 1024 / 1024);
    const message = `the file is larger than ${size} MiB; divide it by services (docs/migrating-from-kong.md)`;
    return unreadTree({ file, line: 1, message });
  }
  const manifests = findManifests(text);
  if (manifests !== null) return unreadTree({ file, line: 1, message: manifests });
  const oldBreak = findOldBreak(text);
  if (oldBreak === null) return readYamlTree(source, kongYaml);
  const { line } = positionFinder(text)(oldBreak.offset);
  return unreadTree({ file, line, message: oldBreak.message });
}

function importConfiguration(
  { routes: all, consumers, plugins, marksRegexPaths }: KongConfiguration,
  context: ImportContext,
): Omit<ImportedKong, 'findings' | 'counts'> | null {
  const { options, problems, findings } = context;
  const effective = effectivePlugins(plugins);
  const routes = servedRoutes(all);
  reportExcess({ plugins, consumers }, routes, problems);
  if (problems.count > 0) return null;
  const limits = routeLimits(routes, effective, context);
  const keySchemes = readKeySchemes(consumers);
  const decisive = { ...context, effective, allowed: allowedBy(consumers), limits, keySchemes };
  const drafts = draftEndpoints(routes, marksRegexPaths, decisive);
  const emitted = drafts.filter(isEmitted);
  const beyond = emitted[MAX_ENDPOINTS];
  if (beyond !== undefined) {
    const message = `from here on, routes become more than ${String(MAX_ENDPOINTS)} endpoints, which no store takes; divide the file`;
    problems.report(beyond.route.place, message);
    return null;
  }
  const ids = consumerIds(consumers);
  const grants = importGrants(drafts, ids, effective, limits, problems);
  const doubtful = consumers.filter(({ isDoubtful }) => isDoubtful);
  const addressLists = readAddressLists(effective, context);
  const keptOut = consumersKeptOut(effective, addressLists, context);
  const restrictions = { disabled: new Set([...keptOut, ...grants.unlimited, ...doubtful]), addressLists };
  const tokenKeys = tokenKeyImporter(consumers, options);
  const imported = importConsumers(consumers, ids, restrictions, credentialImporter(findings, keySchemes, tokenKeys));
  return {
    endpoints: emitted.map((draft) => declareDraft(draft, options.observes)),
    issuers: tokenKeys.issuers(),
    consumers: imported.declared,
    grants: grants.declared,
    holdsSecrets: imported.holdsSecrets,
  };
}

/** What differs for every file, reported once and where it matters. */
function reportDifferences(
  { routes, consumers }: KongConfiguration,
  root: Place,
  { options, findings }: ImportContext,
): void {
  if (options.observes) {
    findings.about(root, 'mode observe')('warning', [], {
      what: 'endpoints let everything through and record what they would have decided: for Kong behind them, nothing else',
      instead: 'import again without --observe before requests go past Kong',
    });
  }
  reportForwarding(servedRoutes(routes), root, findings);
  const without = consumers.filter(({ id }) => id === null).length;
  if (without > 0) {
    findings.about(root, 'X-Consumer-Id')('warning', ['consumers'], {
      what: `${count(without, 'consumer')} ${without === 1 ? 'has' : 'have'} no id in this file: back ends will see a different X-Consumer-Id`,
      instead: 'if back ends use it, dump with ids (deck gateway dump --with-id), which are then kept',
    });
  }
}

/** Hosts times paths of all routes: what endpoints compare requests with. */
const MAX_MATCHES = 100_000;
/** Different plugins: each is looked for on each route. */
const MAX_PLUGIN_NAMES = 1000;
/** Routes times consumers that are looked at one by one: those of `acl` plugins and with limits of their own. */
const MAX_PAIRS = 50_000_000;

/** Reports what would take too long to import, long before a real configuration does. */
export function reportExcess(
  { plugins, consumers }: Pick<KongConfiguration, 'plugins' | 'consumers'>,
  routes: readonly KongRoute[],
  problems: ProblemLog,
): void {
  let matches = 0;
  for (const { hosts, paths, place } of routes) {
    matches += Math.max(1, hosts.length) * Math.max(1, paths.length);
    if (matches <= MAX_MATCHES) continue;
    problems.report(
      place,
      `up to here, routes have more than ${String(MAX_MATCHES)} pairs of host and path; divide the file`,
    );
    return;
  }
  const names = new Set(plugins.map(({ name }) => name));
  if (names.size > MAX_PLUGIN_NAMES && plugins[0] !== undefined) {
    problems.report(plugins[0].place, `there are more than ${String(MAX_PLUGIN_NAMES)} different plugins`);
  }
  const acls = new Set(plugins.flatMap(({ name, config }) => (name === 'acl' ? [config.raw] : []))).size;
  const scoped = new Set(plugins.flatMap(({ consumer }) => consumer ?? [])).size;
  const pairs = acls * consumers.length + scoped * routes.length;
  if (pairs > MAX_PAIRS && plugins[0] !== undefined) {
    problems.report(
      plugins[0].place,
      'there are too many pairs of plugins and consumers to look at; divide the file by services',
    );
  }
}

const comment = [
  'Written by "postern import kong". Endpoints with "enabled: false" refuse everything: see what the import reported about them.',
  'It may hold secrets: keep it where passwords are kept.',
];

/**
 * The text of an imported document, piece by piece. It is read once before, as `postern validate` does, so that what
 * is written can be served; that it could not would be a defect, which throws.
 */
export async function* declaredDocument(imported: ImportedKong, format: 'yaml' | 'json'): AsyncGenerator<string> {
  const { endpoints, issuers, consumers, grants } = imported;
  const text = JSON.stringify({ version: 1, endpoints, issuers, consumers, grants });
  const read = parseDocument([{ file: 'document', text }], {
    isComplete: true,
    // Secrets that are kept elsewhere need not be there yet.
    readSecret: () => ({ text: 'a secret that is kept elsewhere' }),
  });
  if ('problems' in read) {
    const [first] = read.problems;
    throw new Error(`the imported document cannot be served: ${first === undefined ? '' : formatProblem(first)}`);
  }
  yield* writeDocument(
    {
      comment,
      endpoints: inTurn(endpoints),
      issuers: inTurn(issuers),
      consumers: inTurn(consumers),
      grants: inTurn(grants),
      plans: inTurn([]),
    },
    format,
  );
}

async function* inTurn(list: readonly Declared[]): AsyncGenerator<Declared> {
  for (const item of list) yield await Promise.resolve(item);
}
