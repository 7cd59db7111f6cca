import { parsePlacedDocument } from '../../resources/parse-document.ts';
import type { Problem } from '../../document/problem.ts';
import { secretReader } from '../../resources/secret-source.ts';
import { stoppedBefore } from '../../manage/apply/keep-stopped.ts';
import { type ApplyPlan, planApply } from '../../manage/apply/plan-apply.ts';
import type { GeneratedCredential } from '../../manage/apply/plan-credentials.ts';
import type { Change } from '../../manage/change.ts';
import { describeChange } from '../../manage/describe-change.ts';
import { type Paint, renderChange } from '../../manage/render-change.ts';
import type { ResourceStore } from '../../manage/resource-store.ts';
import type { Secret } from '../../model/secret.ts';
import type { CommandContext } from '../command.ts';
import { readSources, renderProblems } from '../declarative-files.ts';
import { startProgress } from '../interaction.ts';
import { formatData, formatJson } from '../render/data.ts';
import type { OutputFormat } from '../flags/options.ts';
import { count } from '../../printable.ts';
import { grouped } from '../render/text.ts';
import type { Output } from '../terminal.ts';

/** What `apply` and `diff` have in common. */
export interface PlanFlags {
  readonly file: readonly string[];
  readonly prune?: true;
  readonly output: OutputFormat;
}

/** Reads files and compares them with the store. Gives null when they have problems, which were printed then. */
export async function planDocument(
  { file, prune, output }: PlanFlags,
  store: ResourceStore,
  { terminal, clock }: CommandContext,
): Promise<ApplyPlan | null> {
  const { sources, texts } = await readSources(file);
  const readSecret = secretReader({ environment: terminal.environment });
  const parsed = parsePlacedDocument(sources, { isComplete: false, references: 'elsewhere', readSecret });
  let problems: readonly Problem[];
  if ('document' in parsed) {
    using progress = startProgress('comparing with the store', terminal.err, clock);
    let read = 0;
    const counted = countReads(store, () => {
      read += 1;
      progress.update(read, null);
    });
    const planned = await planApply(parsed.document, counted, { isPruning: prune === true });
    if ('plan' in planned) return planned.plan;
    problems = planned.problems;
  } else {
    problems = parsed.problems;
  }
  const text = output === 'table' ? renderProblems(problems, texts, terminal) : formatData({ problems }, output);
  terminal.out.write(text);
  return null;
}

/** The same store, which tells of everything that is read from it. */
function countReads(store: ResourceStore, onRead: () => void): ResourceStore {
  return {
    maxChangesPerCommit: store.maxChangesPerCommit,
    find: async (kind, id) => await store.find(kind, id),
    commit: async (changes, operation) => await store.commit(changes, operation),
    list: async function* (kind, selection) {
      for await (const stored of store.list(kind, selection)) {
        onRead();
        yield stored;
      }
    },
  };
}

/** Revived resources that a message names. */
const MAX_REVIVED = 10;

/** Prints changes for people, with a word where one revives: at most `maxShown`, then how many more there are. */
export function printChanges(changes: readonly Change[], maxShown: number, out: Output, paint: Paint): void {
  for (const change of changes.slice(0, maxShown)) {
    const [heading = '', ...fields] = renderChange(describeChange(change), paint);
    const stopped = stoppedBefore(change);
    const marked = stopped === null ? heading : `${heading} ${paint.red(`(revives: it is ${stopped})`)}`;
    out.write(`${[marked, ...fields].join('\n')}\n`);
  }
  const more = changes.length - maxShown;
  if (more > 0)
    out.write(`… and ${grouped(more)} more ${more === 1 ? 'change' : 'changes'}; "postern diff" prints all\n`);
}

/** How many resources a set of changes makes, alters and deletes: `2 created, 1 changed, 0 deleted`. */
export function tally(changes: readonly Change[]): string {
  const created = changes.filter(({ before }) => before === null).length;
  const deleted = changes.filter(({ after }) => after === null).length;
  const changed = changes.length - created - deleted;
  return `${grouped(created)} created, ${grouped(changed)} changed, ${grouped(deleted)} deleted`;
}

/** What changes revive: `credential "acme-key" (revoked), consumer "globex" (disabled)`; empty for nothing. */
export function listRevived(changes: readonly Change[]): string {
  const revived = changes.flatMap((change) => {
    const stopped = stoppedBefore(change);
    return stopped === null ? [] : [`${change.kind} "${change.id}" (${stopped})`];
  });
  const more = revived.length - MAX_REVIVED;
  return [...revived.slice(0, MAX_REVIVED), ...(more > 0 ? [`and ${grouped(more)} more`] : [])].join(', ');
}

/** What is deleted, by kind: `1 endpoint, 2 consumers`. */
export function tallyDeleted(changes: readonly Change[]): string {
  const kinds = ['endpoint', 'consumer', 'credential', 'grant'] as const;
  return kinds
    .map((kind) => ({ kind, number: changes.filter((each) => each.kind === kind && each.after === null).length }))
    .filter(({ number }) => number > 0)
    .map(({ kind, number }) => count(number, kind))
    .join(', ');
}

/** Prints a plan for programs, piece by piece: it may be long. `rest` follows the changes. */
export function printPlanData(
  { changes, unchangedCount }: ApplyPlan,
  rest: Readonly<Record<string, unknown>>,
  format: 'json' | 'yaml',
  out: Output,
): void {
  const tail = { unchanged: unchangedCount, ...rest };
  if (changes.length === 0) {
    out.write(formatData({ changes: [], ...tail }, format));
  } else if (format === 'yaml') {
    out.write('changes:\n');
    for (const change of changes) out.write(indent(formatData([describePlanned(change)], format), 2));
    out.write(formatData(tail, format));
  } else {
    out.write('{\n  "changes": [\n');
    for (const [index, change] of changes.entries()) {
      const end = index === changes.length - 1 ? '\n' : ',\n';
      out.write(`${formatJson(describePlanned(change), 4)}${end}`);
    }
    out.write(`  ],\n${formatData(tail, format).slice('{\n'.length)}`);
  }
}

/** A change of a plan for programs: `revives` says what the resource is that it brings back. */
function describePlanned(change: Change): object {
  const stopped = stoppedBefore(change);
  return { ...describeChange(change), ...(stopped === null ? {} : { revives: stopped }) };
}

/** Prints what was generated: the only place where these secrets are seen. */
export function printGenerated(generated: readonly GeneratedCredential[], out: Output, paint: Paint): void {
  if (generated.length === 0) return;
  const lines = generated.flatMap(({ credential, appKey, appSecret }) => [
    `${paint.bold(credential.id)} of consumer ${credential.consumerId}`,
    `    App Key     ${textOf(credential.appKey ?? appKey)}`,
    ...(appSecret === null ? [] : [`    App Secret  ${textOf(appSecret)}`]),
  ]);
  out.write(
    `\nGenerated, and printed only here ("postern credential show ID --reveal" shows them again):\n${lines.join('\n')}\n`,
  );
}

/** The same for programs. */
export function declareGenerated(
  generated: readonly GeneratedCredential[],
): readonly Readonly<Record<string, unknown>>[] {
  return generated.map(({ credential, appKey, appSecret }) => ({
    credential: credential.id,
    consumer: credential.consumerId,
    appKey: textOf(credential.appKey ?? appKey),
    ...(appSecret === null ? {} : { appSecret: textOf(appSecret) }),
  }));
}

function textOf(secret: Secret | null): string {
  return secret?.reveal().toString('utf8') ?? '';
}

function indent(text: string, width: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(width));
}
