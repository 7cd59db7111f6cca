import type { Environment } from '../base/environment.ts';
import type { Sealer } from '../model/keyring/sealed.ts';
import type { LabelSelector } from '../model/labels.ts';
import type { DueQuery } from '../resources/changes/due-spans.ts';
import type { PlanUse } from '../resources/changes/usage/plan-usage.ts';
import type { Grouping, UsageSummary } from '../resources/changes/usage/sum-traffic.ts';
import type { SystemOfRecord } from '../resources/changes/resource-store.ts';

/** The system of record as a command has it open. */
export interface OpenedStore extends SystemOfRecord {
  /** Makes the changes, in the audit trail. */
  readonly actor: string;
  /** What the store adds up and explains itself, because not everything that it takes is shown here; else absent. */
  readonly answers?: StoreAnswers;
}

/** Whether `credential show --reveal` shows stored secrets: behind the management API none are. */
export function canReveal({ answers }: Pick<OpenedStore, 'answers'>): boolean {
  return answers === undefined;
}

/** What a store behind the management API answers as a whole. */
export interface StoreAnswers {
  /** How many requests were decided how. */
  readonly sumUsage: (wish: UsageWish) => Promise<UsageSummary>;
  /** What a consumer has used of its plans, or the fullest so many have of one plan. */
  readonly planUse: (
    wish:
      | { readonly consumer: string }
      | { readonly consumer?: undefined; readonly plan: string; readonly limit: number },
  ) => Promise<readonly PlanUse[]>;
  /** The ids of the credentials that are due so. */
  readonly dueIds: (query: DueQuery) => AsyncIterable<string>;
  /** The ids of the credentials that stand on a certificate whose end is known. */
  readonly certificateIds: () => AsyncIterable<string>;
}

/** Which requests are counted, and by what. */
export interface UsageWish {
  readonly by: Grouping;
  readonly sinceHour: number;
  readonly consumer?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly label?: LabelSelector | undefined;
}

/**
 * What a command does with secrets. False: it neither shows nor makes one, and needs no key ring. True: it shows those
 * that are stored. `new`: it seals new ones, and keeps stored ones as they are where the ring does not open them.
 * `new-ring`: the same with a ring that opens none of them. `where-possible`: it takes those that can be read here, and
 * revealing another one throws.
 */
export type SecretsNeeded = boolean | 'new' | 'new-ring' | 'where-possible';

/** Which store a command wants. */
export interface StoreWish {
  /** `--store`, instead of `POSTERN_STORE`. */
  readonly store: string | undefined;
  readonly environment: Environment;
  readonly needsSecrets: SecretsNeeded;
  /** The command, which is shown to others that wait for it. */
  readonly command: string;
  /** How long each answer of a database is waited for, in milliseconds. */
  readonly timeoutMs: number;
  /** The key ring that is open already, and followed; without it the one that `POSTERN_KEYRING` names is read. */
  readonly sealer?: Sealer;
  /** Takes what is skipped, and what is waited for, in words for people. */
  readonly warn: (message: string) => void;
}

/** Opens the store of `--store` or `POSTERN_STORE`. */
export type OpenStore = (wish: StoreWish) => Promise<OpenedStore>;
