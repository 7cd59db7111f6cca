import { formatCarrier, parseCarrier } from '../../../../check/methods/key/carrier-text.ts';
import {
  hmacAlgorithms,
  type KeyCarrier,
  MAX_CLOCK_SKEW_SECONDS,
  type OptionsOf,
  parameterEncodings,
} from '../../../../model/endpoint.ts';

/** The name of an option of any method. */
export type OptionName = { [M in keyof OptionsOf]: keyof OptionsOf[M] }[keyof OptionsOf];

/** What an option is for, and how it is typed. */
export interface OptionText {
  readonly label: string;
  readonly hint: string;
  readonly kind: OptionKind;
}

type OptionKind =
  | { readonly is: 'flag' | 'number' | 'carriers' }
  | { readonly is: 'choice' | 'list'; readonly of: readonly string[] };

const flag = { is: 'flag' } as const;
const refuseOrForward = { is: 'choice', of: ['refuse', 'forward'] } as const;

/** Every option there is, in the order in which pages show them. */
export const optionTexts: Readonly<Record<OptionName, OptionText>> = {
  mode: {
    label: 'Mode',
    hint: 'observe decides and records, but lets requests pass that would get 401, 403 or 429.',
    kind: { is: 'choice', of: ['enforce', 'observe'] },
  },
  onLimiterFailure: {
    label: 'When limits cannot be checked',
    hint: 'deny answers 503 while the rate limit service is down.',
    kind: { is: 'choice', of: ['allow', 'deny'] },
  },
  hideCredentials: {
    label: 'Hide credentials',
    hint: 'Take credentials out of the request before it goes to the back end.',
    kind: flag,
  },
  keyNames: {
    label: 'Where the App Key may stand',
    hint: 'One on each line, in the order in which they are looked at: header:X-App-Key, query:appKey, header:Authorization:Bearer.',
    kind: { is: 'carriers' },
  },
  algorithms: {
    label: 'Algorithms',
    hint: `One on each line: ${hmacAlgorithms.join(', ')}.`,
    kind: { is: 'list', of: hmacAlgorithms },
  },
  acceptRealHttpVersion: {
    label: 'Accept the real HTTP version',
    hint: 'A request line that was signed with the version that Envoy reports is right too.',
    kind: flag,
  },
  clockSkewSeconds: {
    label: 'Clock skew in seconds',
    hint: `How far a signed time may be from now, both ways: 1 to ${String(MAX_CLOCK_SKEW_SECONDS)}.`,
    kind: { is: 'number' },
  },
  replayProtection: {
    label: 'Replay protection',
    hint: 'A signature works once. Signatures over parameters also need the time stamp.',
    kind: flag,
  },
  signatureHints: {
    label: 'Signature hints',
    hint: 'Refusals show callers the string to sign. For test systems.',
    kind: flag,
  },
  requireTimestamp: {
    label: 'Require a time stamp',
    hint: 'The parameter apiTimestamp has to be there.',
    kind: flag,
  },
  parameterEncoding: {
    label: 'Encoding of parameters',
    hint: 'Which form of the values is signed.',
    kind: { is: 'choice', of: parameterEncodings },
  },
  strictParameters: {
    label: 'Strict parameters',
    hint: 'Refuse values that make the signature ambiguous.',
    kind: flag,
  },
  unsignedQuery: {
    label: 'Query beside a signed body',
    hint: 'What happens to parameters of the query that the signature does not cover.',
    kind: refuseOrForward,
  },
  unsignedBody: {
    label: 'Body that is not signed',
    hint: 'What happens to a body that the signature does not cover.',
    kind: refuseOrForward,
  },
  tokenInQuery: {
    label: 'Token in the query',
    hint: 'Also take ?access_token=. Logs on the way may keep it.',
    kind: flag,
  },
};

/** What people call an option; its name where it has no other. */
export function optionLabel(name: string): string {
  return Object.hasOwn(optionTexts, name) ? optionTexts[name as OptionName].label : name;
}

/** The value of an option for people; lists with commas. */
export function formatOption(value: unknown): string {
  return linesOf(value).join(', ');
}

/** The value of an option as it is typed: one line for each item of a list. */
export function linesOf(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) =>
    typeof item === 'object' && item !== null ? formatCarrier(item as KeyCarrier) : String(item),
  );
}

/** The value that was typed; null for none, which is the default. What cannot be one is left to the API to refuse. */
export function readOption(text: string, kind: OptionKind): unknown {
  if (text === '') return null;
  const words = text.split(/\s+/).filter((word) => word !== '');
  switch (kind.is) {
    case 'flag':
      return text === 'true' || (text === 'false' ? false : text);
    case 'number':
      return /^\d{1,9}$/.test(text) ? Number(text) : text;
    case 'choice':
      return text;
    case 'list':
      return words;
    case 'carriers':
      return words.map((word) => {
        const [kind = '', ...name] = word.split(':');
        return parseCarrier(word) ?? { [kind]: name.join(':') };
      });
  }
}
