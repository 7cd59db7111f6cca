import type { Stage } from './stage.ts';

/** One drill: what an operator does in a bad hour, done here for practice. */
export interface Drill {
  /** As `npm run drill -- NAME` calls it. */
  readonly name: string;
  /** In a few words. */
  readonly title: string;
  /** The servers that it starts, as `scripts/install-services` names them. */
  readonly services: readonly string[];
  /** Whether every run of the tests runs it, too; the others take longer. */
  readonly isQuick: boolean;
  /** Does it, and shows it on the stage; ends what it starts. Rejects when something is not as expected. */
  readonly run: (stage: Stage) => Promise<void>;
}
