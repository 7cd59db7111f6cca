import type { UsageSource } from '../../../resources/changes/resource-store.ts';
import type { LeftOut, RunPlan } from '../../../resources/changes/rotation/plan-run.ts';
import type { NewSecret, RotationRecord } from '../../../resources/changes/rotation/rotation-record.ts';
import { count, grouped } from '../../../base/text/printable.ts';
import { type Declared, declareTime } from '../../../resources/declared.ts';
import type { CommandContext } from '../../command.ts';
import { writeSafely } from '../../failure.ts';
import type { OutputFormat } from '../../flags/options.ts';
import { formatData } from '../../render/data.ts';
import { type ListView, printSection } from '../../render/list.ts';
import { formatDistance, formatTimeFrom } from '../../render/text.ts';
import type { Terminal } from '../../terminal.ts';
import type { RunWish } from './rotation-lines.ts';

/** A run as it is shown; never a secret. */
export interface Report {
  /** Null for a dry run that names none. */
  readonly file: string | null;
  /** When a run began that is carried on, in seconds since the epoch; null for a new one. */
  readonly startedAt: number | null;
  readonly plan: RunPlan;
  readonly isDryRun: boolean;
  /** What has become of each credential. */
  readonly records: readonly RotationRecord[];
}

/** Rows of each table of the plan and the report; programs get all. */
const MAX_SHOWN = 20;

/** Tells of what the plan does not show. */
export function printNotes({ unopened, endingSoon }: RunPlan, { terminal: { err }, clock }: CommandContext): void {
  if (unopened.length > 0) {
    const whose = unopened.slice(0, MAX_SHOWN).join(', ');
    err.write(
      `note: the key ring does not open the App Secret of ${whose}: it ends at once, whatever the grace period\n`,
    );
  }
  if (endingSoon.length === 0) return;
  const now = clock.nowSeconds();
  const ends = endingSoon
    .slice(0, MAX_SHOWN)
    .map(({ credentialId, endsAt }) => `${credentialId} ${formatDistance(endsAt, now)}`);
  const more = endingSoon.length > MAX_SHOWN ? ', …' : '';
  err.write(
    `note: a rotation keeps the end of a credential, and these end soon all the same: ${ends.join(', ')}${more}; "credential issue" makes one that ends later\n`,
  );
}

interface ShownPlan extends Omit<Report, 'records'> {
  /** What the run is about to rotate. */
  readonly due: readonly RotationRecord[];
  readonly wish: RunWish;
}

/** Prints for people what is about to be done, and what not. */
export async function printPlan(
  { startedAt, plan, due, wish }: ShownPlan,
  usage: UsageSource,
  format: OutputFormat,
  { terminal, clock }: CommandContext,
): Promise<void> {
  if (format !== 'table') return;
  const now = clock.nowSeconds();
  if (startedAt !== null) {
    const done = plan.records.length - due.length;
    terminal.out.write(
      `The rotation that began at ${formatTimeFrom(startedAt, now)}: ${grouped(done)} of ${grouped(plan.records.length)} done.\n`,
    );
  }
  if (due.length > 0) {
    const shown = due.slice(0, MAX_SHOWN);
    const used = await usage.usageOf(shown.map(({ credentialId }) => credentialId));
    const lastUse = (id: string): string => {
      const seconds = used.get(id)?.lastUsedAt ?? null;
      return seconds === null ? 'never' : formatDistance(seconds, now);
    };
    printRows('to be rotated', due, dueView(lastUse), terminal);
    const { graceSeconds } = wish;
    const end =
      graceSeconds === 0 ? 'are refused at once' : `work until ${formatTimeFrom(now + graceSeconds, now)} at most`;
    terminal.out.write(`\nThe former secrets ${end}.\n`);
  }
  printRows('left out', plan.leftOut, leftOutView, terminal);
}

/** Prints what became of a run. */
export function printReport(report: Report, format: OutputFormat, { terminal, clock }: CommandContext): void {
  if (format !== 'table') {
    terminal.out.write(formatData(declareReport(report), format));
    return;
  }
  const { file, isDryRun, records, plan } = report;
  if (isDryRun) {
    terminal.out.write('Nothing was changed (--dry-run).\n');
    return;
  }
  printRows('not rotated', records.flatMap(whyLeftOut), leftOutView, terminal);
  printRows('outcome unknown', of(records, 'unknown'), unknownView, terminal);
  const rotated = of(records, 'rotated');
  if (records.length === 0) {
    terminal.out.write(
      plan.leftOut.length === 0 ? 'These consumers have no such credential.\n' : 'Nothing to rotate.\n',
    );
    return;
  }
  if (rotated.length === 0) return;
  const ends = rotated.flatMap(({ made }) => (made === null ? [] : [made.formerEndsAt]));
  const now = clock.nowSeconds();
  const first = Math.min(...ends);
  writeSafely(
    terminal.out,
    `${count(rotated.length, 'credential', grouped(rotated.length))} of ${grouped(records.length)} rotated. The new secrets are in ${String(file)}, a line of JSON each.
${first > now ? `Hand them over before ${formatTimeFrom(first, now)}, when the first former one ends. ` : ''}Who still uses a former one: postern credential list --former-in-use
`,
  );
}

function declareReport({ file, startedAt, plan, isDryRun, records }: Report): Declared {
  const declare = ({ credentialId, consumerId, made }: RotationRecord): Declared => ({
    credential: credentialId,
    consumer: consumerId,
    ...(made === null ? {} : declareEnd(made)),
  });
  const leftOut = [...plan.leftOut, ...records.flatMap(whyLeftOut)].map(({ credentialId, consumerId, reason }) => ({
    credential: credentialId,
    consumer: consumerId,
    reason,
  }));
  return {
    dryRun: isDryRun,
    ...(file === null ? {} : { file }),
    ...(startedAt === null ? {} : { startedAt: declareTime(startedAt) }),
    planned: of(records, 'planned').map(declare),
    unknown: of(records, 'unknown').map(declare),
    rotated: of(records, 'rotated').map(declare),
    leftOut,
  };
}

function declareEnd({ successorId, formerEndsAt }: NewSecret): Declared {
  return { ...(successorId === null ? {} : { successor: successorId }), formerEndsAt: declareTime(formerEndsAt) };
}

function of(records: readonly RotationRecord[], outcome: RotationRecord['outcome']): readonly RotationRecord[] {
  return records.filter((record) => record.outcome === outcome);
}

function whyLeftOut({ credentialId, consumerId, outcome, reason }: RotationRecord): readonly LeftOut[] {
  return outcome === 'left-out' ? [{ credentialId, consumerId, reason: reason ?? '' }] : [];
}

function printRows<T>(heading: string, rows: readonly T[], view: ListView<T>, terminal: Terminal): void {
  if (rows.length === 0) return;
  printSection(`${heading} (${grouped(rows.length)})`, rows.slice(0, MAX_SHOWN), view, terminal);
  const more = rows.length - MAX_SHOWN;
  if (more > 0) terminal.out.write(`  … and ${grouped(more)} more; -o json prints all\n`);
}

function dueView(lastUse: (credentialId: string) => string): ListView<RotationRecord> {
  return {
    columns: [
      { heading: 'CREDENTIAL', cell: ({ credentialId }) => credentialId },
      { heading: 'CONSUMER', cell: ({ consumerId }) => consumerId },
      { heading: 'METHOD', cell: ({ methods }) => methods.join(', ') },
      { heading: 'LAST USED', cell: ({ credentialId }) => lastUse(credentialId) },
    ],
    declare: () => ({}),
    none: '',
  };
}

const leftOutView: ListView<LeftOut> = {
  columns: [
    { heading: 'CREDENTIAL', cell: ({ credentialId }) => credentialId },
    { heading: 'CONSUMER', cell: ({ consumerId }) => consumerId },
    { heading: 'BECAUSE', cell: ({ reason }) => reason, canShrink: true },
  ],
  declare: () => ({}),
  none: '',
};

const unknownView: ListView<RotationRecord> = {
  columns: [
    { heading: 'CREDENTIAL', cell: ({ credentialId }) => credentialId },
    { heading: 'CONSUMER', cell: ({ consumerId }) => consumerId },
    { heading: 'ROTATED, WHEN THIS SHOWS IT', cell: wayToFindOut },
  ],
  declare: () => ({}),
  none: '',
};

function wayToFindOut({ credentialId, made }: RotationRecord): string {
  const { successorId = null, revision = 0 } = made ?? {};
  if (successorId !== null) return `"postern credential show ${successorId}" finds it`;
  return `"postern credential show ${credentialId}" shows revision ${String(revision + 1)}`;
}
