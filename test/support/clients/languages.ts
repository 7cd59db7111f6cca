import { type Way } from './protocol.ts';

/** A language with a signing client. */
export interface Language {
  /** Its name for people. */
  readonly title: string;
  /** The folder of the client below `clients/`. */
  readonly folder: string;
  /** Every adapter over every version of HTTP that it speaks; the driver must say the same. */
  readonly ways: readonly Way[];
}

/** The languages by the folder of their tests below `test/clients/`. What each needs is in scripts/testing/suites.mjs. */
export const languages = {
  javascript: { title: 'JavaScript', folder: 'javascript', ways: [{ adapter: 'fetch', http: '1.1' }] },
} as const satisfies Readonly<Record<string, Language>>;
