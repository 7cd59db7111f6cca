import type { Declared } from '../../document/declare/declared.ts';
import { MAX_DOCUMENT_BYTES } from '../../document/parse-document.ts';
import type { Problem } from '../../document/problem.ts';
import { isPlainName } from '../../document/problem.ts';
import { placeIn, ProblemLog } from '../../document/problem-log.ts';
import type { DocumentSource, UnreadSource } from '../../document/source-text.ts';
import { readYamlTree, unreadTree } from '../../document/yaml-tree.ts';
import { allowedBy } from './allowed-consumers.ts';
import { effectivePlugins } from './effective-plugins.ts';
import { type Finding, type FindingLevel, type FindingLog, findingLog } from './finding.ts';
import { consumerIds, consumersKeptOut, importConsumers } from './import-consumers.ts';
import { declareDraft, draftEndpoints, isEmitted, servedRoutes } from './import-endpoints.ts';
import { importGrants } from './import-grants.ts';
import type { ImportOptions } from './import-options.ts';
import type { KongConfiguration, KongRoute } from './kong-entities.ts';
import { kongReader } from './kong-reader.ts';
import { reportExcess } from './report-excess.ts';
import { readConfiguration, rootPlace } from './read-configuration.ts';
import { routeLimits } from './route-limits.ts';

/** A declarative document (interfaces §4), and what it does otherwise than Kong. */
export interface ImportedKong {
  readonly endpoints: readonly Declared[];
  readonly consumers: readonly Declared[];
  readonly grants: readonly Declared[];
  /** In the order of the file. */
  readonly findings: readonly Finding[];
  /** How many findings there are, those that were too many to keep too. */
  readonly counts: Readonly<Record<FindingLevel, number>>;
  /** Whether App Secrets, or App Keys that are secrets, stand in it. */
  readonly holdsSecrets: boolean;
}

/** What a file became, or what is wrong with it. */
export type KongImport = { readonly imported: ImportedKong } | { readonly problems: readonly Problem[] };

/**
 * Turns Kong's declarative configuration (formats 1.1, 2.1 and 3.0; of Kong itself or decK; YAML or JSON) into a
 * declarative document that never lets in more than Kong does: what cannot be judged is refused there, and told.
 * Never throws for what the file holds; no message holds a key or secret.
 */
export function importKong(source: DocumentSource | UnreadSource, options: ImportOptions): KongImport {
  const tree =
    'message' in source
      ? unreadTree(source)
      : Buffer.byteLength(source.text) > MAX_DOCUMENT_BYTES
        ? unreadTree({
            file: source.file,
            line: 1,
            message: `the file is larger than ${String(MAX_DOCUMENT_BYTES / 1024 / 1024)} MiB`,
          })
        : readYamlTree(source);
  const problems = new ProblemLog([tree], isPlainName);
  const findings = findingLog();
  if (problems.count > 0) return { problems: problems.sorted() };
  const configuration = readConfiguration(tree, problems, findings, options.isComplete);
  if (configuration === null || problems.count > 0) return { problems: problems.sorted() };
  const imported = importConfiguration(configuration, options, problems, findings);
  if (options.observes) {
    findings.add('warning', rootPlace(tree), {
      subject: 'mode observe',
      what: 'endpoints let everything through and record what they would have decided: for Kong behind them, nothing else',
      instead: 'import again without --observe before requests go past Kong',
    });
  }
  tellDifferences(configuration, rootPlace(tree), findings);
  if (problems.count > 0) return { problems: problems.sorted() };
  const counts = { error: findings.count('error'), warning: findings.count('warning'), note: findings.count('note') };
  return { imported: { ...imported, findings: findings.sorted(), counts } };
}

function importConfiguration(
  configuration: KongConfiguration,
  options: ImportOptions,
  problems: ProblemLog,
  findings: FindingLog,
): Omit<ImportedKong, 'findings' | 'counts'> {
  const { consumers, plugins, marksRegexPaths } = configuration;
  const reader = kongReader(problems);
  const effective = effectivePlugins(plugins);
  const routes = servedRoutes(configuration, findings);
  reportExcess(configuration, routes, problems);
  if (problems.count > 0) return { endpoints: [], consumers: [], grants: [], holdsSecrets: false };
  const limits = routeLimits(routes, effective, options, reader, findings);
  const allowed = allowedBy(consumers, reader, findings);
  const context = { effective, allowed, limits, options, reader, findings };
  const drafts = draftEndpoints(routes, marksRegexPaths, context);
  const ids = consumerIds(consumers);
  const grants = importGrants(drafts, ids, effective, limits, problems);
  const disabled = new Set([...consumersKeptOut(effective, options, findings), ...grants.unlimited]);
  const imported = importConsumers(consumers, ids, disabled, reader, findings);
  return {
    endpoints: drafts.filter(isEmitted).map((draft) => declareDraft(draft, options.observes)),
    consumers: imported.declared,
    grants: grants.declared,
    holdsSecrets: imported.holdsSecrets,
  };
}

/** What differs for every file, told once and where it matters. */
function tellDifferences(
  { routes, consumers }: KongConfiguration,
  root: ReturnType<typeof rootPlace>,
  findings: FindingLog,
): void {
  const isStripped = ({ stripsPath, paths }: KongRoute): boolean => stripsPath && paths.length > 0;
  const stripped = routes.filter(isStripped).length;
  if (stripped > 0) {
    findings.add('note', placeIn(root, 'routes'), {
      subject: 'where requests go',
      what: `services and strip_path (${String(stripped)} route${stripped === 1 ? '' : 's'}) say where requests go, which is Envoy’s to know`,
      instead: 'write routes of Envoy, with prefix_rewrite where Kong strips the path',
    });
  }
  if (
    routes.some(({ protocols }) => protocols.length > 0 && !protocols.includes('http') && protocols.includes('https'))
  ) {
    findings.add('note', placeIn(root, 'routes'), {
      subject: 'HTTPS',
      what: 'some routes are for HTTPS only, which is for Envoy’s listeners to see to',
      instead: 'redirect plain HTTP in Envoy (https_redirect)',
    });
  }
  const without = consumers.filter(({ id }) => id === null).length;
  if (without > 0) {
    findings.add('warning', placeIn(root, 'consumers'), {
      subject: 'X-Consumer-Id',
      what: `${without === 1 ? '1 consumer has' : `${String(without)} consumers have`} no id in this file: back ends will see another X-Consumer-Id than Kong’s`,
      instead: 'where back ends look at it, dump with ids (deck gateway dump --with-id), which are then kept',
    });
  }
}
