import { type Finding, MAX_FINDINGS } from '../../import/kong/finding.ts';
import type { ImportedKong } from '../../import/kong/import-kong.ts';
import { formatData } from '../output-format.ts';

/** What is told about an import. */
export type FindingReport = Pick<ImportedKong, 'findings' | 'counts' | 'endpoints' | 'consumers' | 'grants'>;

/** Colours words; without a terminal, it does not. */
export interface FindingPaint {
  readonly bold: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly dim: (text: string) => string;
}

const plain: FindingPaint = { bold: String, red: String, yellow: String, dim: String };

/** Findings for people: `file:line:column: error: what differs`, and what to do on a line of its own. */
export function renderFindings(report: FindingReport, paint: FindingPaint = plain): string {
  const { findings, counts } = report;
  const blocks = groupsOf(findings).map(([first, ...others]) => {
    const { level, file, line, column, subject, what, instead } = first;
    const colour = level === 'error' ? paint.red : level === 'warning' ? paint.yellow : paint.dim;
    const head = `${paint.bold(`${file}:${String(line)}:${String(column)}:`)} ${colour(`${level}:`)} ${subject}: ${what}\n`;
    const same = others.length === 0 ? '' : `    the same: ${listPlaces(others)}\n`;
    return head + same + (instead === null ? '' : `    -> ${instead}\n`);
  });
  const summary = `${describeContent(report)}: ${count(counts.error, 'error')}, ${count(counts.warning, 'warning')}, ${count(counts.note, 'note')}`;
  const total = counts.error + counts.warning + counts.note;
  return `${blocks.join('')}${summary}${total > MAX_FINDINGS ? `; the first ${String(MAX_FINDINGS)} that were found are shown` : ''}\n`;
}

type Group = readonly [Finding, ...Finding[]];

/** Findings that say the same of several things, each group where its first one stands. */
function groupsOf(findings: readonly Finding[]): readonly Group[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.level, finding.file, finding.what, finding.instead]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()];
}

/** More of a group are counted. The report as JSON has all. */
const MAX_PLACES = 10;

/** `route "b" (line 7), route "c" (line 9) and 3 more`. */
function listPlaces(findings: readonly Finding[]): string {
  const shown = findings.slice(0, MAX_PLACES).map(({ subject, line }) => `${subject} (line ${String(line)})`);
  const more = findings.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

/** Findings for programs. */
export function describeFindings({ findings, counts }: FindingReport): string {
  return formatData({ counts, findings }, 'json');
}

/** `4 endpoints (1 refuses everything), 2 consumers, 1 grant`. */
function describeContent({ endpoints, consumers, grants }: FindingReport): string {
  const refusing = endpoints.filter(({ enabled }) => enabled === false).length;
  const closed = refusing === 0 ? '' : ` (${String(refusing)} ${refusing === 1 ? 'refuses' : 'refuse'} everything)`;
  return `${count(endpoints.length, 'endpoint')}${closed}, ${count(consumers.length, 'consumer')}, ${count(grants.length, 'grant')}`;
}

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
