import { parsePlacedDocument, type PlacedDocument } from '../../resources/parse-document.ts';
import { findWarnings } from '../../resources/find-warnings.ts';
import { resourceKinds } from '../../resources/resource.ts';
import { secretReader } from '../../resources/secret-source.ts';
import { stoppedBefore } from '../../resources/changes/apply/keep-stopped.ts';
import { planApply } from '../../resources/changes/apply/plan-apply.ts';
import type { ApplyPlan, GeneratedCredential } from '../../resources/changes/apply/apply-plan.ts';
import type { Change } from '../../resources/changes/change.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import { type DescribedChange, describeChange } from '../../resources/changes/describe-change.ts';
import { renderChange } from '../../resources/changes/render-change.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import type { CommandContext } from '../command.ts';
import { readSources, renderProblems, renderWarnings } from '../declarative-files.ts';
import { startProgress } from '../interaction.ts';
import { formatData, formatJson } from '../render/data.ts';
import { withoutGenerated } from '../render/generated.ts';
import type { OutputFormat, SelectorFlag } from '../flags/options.ts';
import { count, grouped } from '../../base/text/printable.ts';
import { paintFor } from '../render/text.ts';
import { canReveal, type OpenedStore } from '../opened-store.ts';
import type { Output, Terminal } from '../terminal.ts';

/** What `apply` and `diff` have in common. */
export interface PlanFlags extends SelectorFlag {
  readonly file: readonly string[];
  readonly prune?: true;
  readonly output: OutputFormat;
}

/**
 * Reads files and compares them with the store, and prints what `validate` warns of, unless they are planned `again`.
 * Gives null when they have problems, which were printed then.
 */
export async function planDocument(
  { file, prune, selector, output }: PlanFlags,
  store: ResourceStore,
  { terminal, clock }: CommandContext,
  { again = false }: { readonly again?: boolean } = {},
): Promise<ApplyPlan | null> {
  const { sources, texts } = await readSources(file);
  const readSecret = secretReader({ environment: terminal.environment });
  const compare = async (document: PlacedDocument): ReturnType<typeof planApply> => {
    using progress = startProgress('comparing with the store', terminal.err, clock);
    let read = 0;
    const counted = countReads(store, () => {
      read += 1;
      progress.update(read, null);
    });
    return await planApply(document, counted, { isPruning: prune === true });
  };
  const parsed = parsePlacedDocument(sources, {
    isComplete: false,
    references: 'elsewhere',
    readSecret,
    selector,
  });
  if ('document' in parsed && !again) {
    const warnings = findWarnings(parsed.document, sources, clock.nowSeconds(), false);
    const more = warnings.length - MAX_SHOWN_WARNINGS;
    const shown = renderWarnings(warnings.slice(0, MAX_SHOWN_WARNINGS), texts, { ...terminal, out: terminal.err });
    const rest = more > 0 ? `… and ${count(more, 'more warning')}: "postern validate" shows them\n` : '';
    if (warnings.length > 0) terminal.err.write(shown + rest);
  }
  const compared = 'problems' in parsed ? parsed : await compare(parsed.document);
  if ('plan' in compared) return compared.plan;
  const { problems } = compared;
  const text = output === 'table' ? renderProblems(problems, texts, terminal) : formatData({ problems }, output);
  terminal.out.write(text);
  return null;
}

/** Warnings that are printed before a plan; more are counted. */
const MAX_SHOWN_WARNINGS = 20;

/** The same store, which reports everything that is read from it. */
function countReads(store: ResourceStore, onRead: () => void): ResourceStore {
  return {
    maxChangesPerCommit: store.maxChangesPerCommit,
    find: async (kind, id) => await store.find(kind, id),
    commit: async (changes, operation) => await store.commit(changes, operation),
    ...(store.recognise === undefined ? {} : { recognise: store.recognise }),
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

/**
 * Prints changes for people, with a word where one revives: at most `maxShown`, then how many more there are. Where
 * they are only shown, `generated` are the credentials whose App Keys were made up for that.
 */
export function printChanges(
  changes: readonly Change[],
  { maxShown, generated }: { readonly maxShown: number; readonly generated: ApplyPlan['generated'] | null },
  terminal: Terminal,
): void {
  const paint = paintFor(terminal);
  for (const change of changes.slice(0, maxShown)) {
    const [heading = '', ...fields] = renderChange(describeIn(change, generated), paint);
    const stopped = stoppedBefore(change);
    const mark = stopped === null ? '' : ` ${paint.red(`(revives: it is ${stopped})`)}`;
    terminal.out.write(`${[`${heading}${mark}`, ...fields].join('\n')}\n`);
  }
  const more = changes.length - maxShown;
  if (more > 0) terminal.out.write(`… and ${count(more, 'more change', grouped(more))}; "postern diff" prints all\n`);
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
  const deleted = changes.filter(({ after }) => after === null);
  return resourceKinds
    .map((kind) => ({ kind, number: deleted.filter((change) => change.kind === kind).length }))
    .flatMap(({ kind, number }) => (number === 0 ? [] : [count(number, kind)]))
    .join(', ');
}

/** A change in words; of one that is only shown, without an App Key that was made up for it. */
function describeIn(change: Change, generated: ApplyPlan['generated'] | null): DescribedChange {
  const described = describeChange(change);
  const isMadeUp = change.kind === 'credential' && (generated?.get(change.id)?.appKey ?? null) !== null;
  return isMadeUp ? withoutGenerated(described) : described;
}

/**
 * Prints a plan for programs, piece by piece: it may be long. `rest` follows the changes. `isOnlyShown`: nothing of it
 * is made.
 */
export function printPlanData(
  { changes, unchangedCount, generated: all }: ApplyPlan,
  isOnlyShown: boolean,
  rest: Readonly<Record<string, unknown>>,
  format: 'json' | 'yaml',
  out: Output,
): void {
  const tail = { unchanged: unchangedCount, ...rest };
  const generated = isOnlyShown ? all : null;
  if (changes.length === 0) {
    out.write(formatData({ changes: [], ...tail }, format));
  } else if (format === 'yaml') {
    out.write('changes:\n');
    for (const change of changes) out.write(indent(formatData([describePlanned(change, generated)], format), 2));
    out.write(formatData(tail, format));
  } else {
    out.write('{\n  "changes": [\n');
    for (const [index, change] of changes.entries()) {
      const end = index === changes.length - 1 ? '\n' : ',\n';
      out.write(`${formatJson(describePlanned(change, generated), 4)}${end}`);
    }
    out.write(`  ],\n${formatData(tail, format).slice('{\n'.length)}`);
  }
}

/** A change of a plan for programs: `revives` says what the resource is that it brings back. */
function describePlanned(change: Change, generated: ApplyPlan['generated'] | null): object {
  const stopped = stoppedBefore(change);
  return { ...describeIn(change, generated), ...(stopped === null ? {} : { revives: stopped }) };
}

/** What was generated, for programs: with the secrets, which are printed only here. */
export function declareGenerated(generated: readonly GeneratedCredential[]): readonly DeclaredPair[] {
  return generated.map(({ credential, appKey, appSecret }) => {
    const key = credential.appKey ?? appKey;
    return {
      credential: credential.id,
      consumer: credential.consumerId,
      appKey: key === null ? '' : textOf(key),
      ...(appSecret === null ? {} : { appSecret: textOf(appSecret) }),
    };
  });
}

interface DeclaredPair {
  readonly credential: string;
  readonly consumer: string;
  readonly appKey: string;
  readonly appSecret?: string;
}

/** The same for people, with how the store shows it again. */
export function printGenerated(
  generated: readonly GeneratedCredential[],
  store: OpenedStore,
  terminal: Terminal,
): void {
  if (generated.length === 0) return;
  const lines = declareGenerated(generated).flatMap(({ credential, consumer, appKey, appSecret }) => [
    `${paintFor(terminal).bold(credential)} of consumer ${consumer}`,
    `    App Key     ${appKey}`,
    ...(appSecret === undefined ? [] : [`    App Secret  ${appSecret}`]),
  ]);
  const again = canReveal(store) ? ' ("postern credential show ID --reveal" shows them again)' : '';
  terminal.out.write(`\nGenerated, and printed only here${again}:\n${lines.join('\n')}\n`);
}

function indent(text: string, width: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(width));
}
