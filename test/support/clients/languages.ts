import { type Way } from './protocol.ts';

/** A language with a signing client. */
export interface Language {
  /** Its name for people. */
  readonly title: string;
  /** The folder of the client below `clients/`. */
  readonly folder: string;
  /** Every adapter over every version of HTTP that it speaks; the driver must say the same. */
  readonly ways: readonly Way[];
  /** Its driver answers one question after the other: a call that waits holds up those behind it. */
  readonly isOneByOne?: true;
  /** It signs with private keys: `http-message-signature` and `private-key-jwt`. */
  readonly hasPrivateKeys?: true;
}

/** An adapter that speaks both versions of HTTP. */
const both = (adapter: string, library: Way['library'] = {}): readonly Way[] => [
  { adapter, http: '1.1', library },
  { adapter, http: '2', library },
];

/** The languages. What each needs on the machine is in scripts/testing/suites.mjs. */
export const languages = {
  go: { title: 'Go', folder: 'go', ways: both('net/http'), hasPrivateKeys: true },
  java: {
    title: 'Java',
    folder: 'java',
    ways: [...both('java.net.http', { isResending: true }), ...both('okhttp')],
    hasPrivateKeys: true,
  },
  javascript: { title: 'JavaScript', folder: 'javascript', ways: both('fetch'), hasPrivateKeys: true },
  php: {
    title: 'PHP',
    folder: 'php',
    ways: [
      ...both('guzzle', { isResending: true }),
      ...both('psr-18', { isResending: true }),
      ...both('curl', { isResending: true, isWithoutStreams: true }),
    ],
    isOneByOne: true,
    hasPrivateKeys: true,
  },
  python: {
    title: 'Python',
    folder: 'python',
    ways: [
      { adapter: 'requests', http: '1.1', library: { isNormalizingEscapes: true } },
      { adapter: 'httpx', http: '1.1' },
      { adapter: 'httpx', http: '2', library: { isPoolUncertain: true } },
      ...both('httpx-async'),
      { adapter: 'urllib', http: '1.1', library: { isPoolUncertain: true } },
    ],
    hasPrivateKeys: true,
  },
  rust: { title: 'Rust', folder: 'rust', ways: both('reqwest'), hasPrivateKeys: true },
} as const satisfies Readonly<Record<string, Language>>;
