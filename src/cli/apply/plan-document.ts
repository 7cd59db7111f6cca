import { parsePlacedDocument } from '../../document/parse-document.ts';
import type { Problem } from '../../document/problem.ts';
import { secretReader } from '../../document/secret-source.ts';
import { planApply, type ApplyPlan } from '../../manage/apply/plan-apply.ts';
import type { ResourceStore } from '../../manage/resource-store.ts';
import type { CommandContext } from '../command-context.ts';
import { readSources } from '../document/read-sources.ts';
import { renderProblems } from '../document/render-problems.ts';
import { formatData, type OutputFormat } from '../output-format.ts';
import { startProgress } from '../progress-bar.ts';

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
  const text = output === 'table' ? await renderProblems(problems, texts, terminal) : formatData({ problems }, output);
  terminal.out.write(text);
  return null;
}

/** The same store, which tells of everything that is read from it. */
function countReads(store: ResourceStore, onRead: () => void): ResourceStore {
  return {
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
