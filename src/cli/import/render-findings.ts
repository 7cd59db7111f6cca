import { type Finding, type FindingLevel, MAX_FINDINGS } from '../../import/kong/finding.ts';

/** What is told about an import. */
export interface FindingReport {
  readonly findings: readonly Finding[];
  readonly counts: Readonly<Record<FindingLevel, number>>;
}

/** Colours words; without a terminal, it does not. */
export interface FindingPaint {
  readonly bold: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly dim: (text: string) => string;
}

const plain: FindingPaint = { bold: String, red: String, yellow: String, dim: String };

/** Findings for people: `file:line:column: error: what differs`, and what to do on a line of its own. */
export function renderFindings({ findings, counts }: FindingReport, paint: FindingPaint = plain): string {
  const blocks = findings.map(({ level, file, line, column, subject, what, instead }) => {
    const colour = level === 'error' ? paint.red : level === 'warning' ? paint.yellow : paint.dim;
    const head = `${paint.bold(`${file}:${String(line)}:${String(column)}:`)} ${colour(`${level}:`)} ${subject}: ${what}\n`;
    return instead === null ? head : `${head}    -> ${instead}\n`;
  });
  const summary = `${count(counts.error, 'error')}, ${count(counts.warning, 'warning')}, ${count(counts.note, 'note')}`;
  const total = counts.error + counts.warning + counts.note;
  return `${blocks.join('')}${summary}${total > MAX_FINDINGS ? `; the first ${String(MAX_FINDINGS)} that were found are shown` : ''}\n`;
}

/** Findings for programs. */
export function describeFindings({ findings, counts }: FindingReport): string {
  return `${JSON.stringify({ counts, findings }, null, 2)}\n`;
}

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
