import { replaceInvisible, type Position } from './source-text.ts';

/** A line of a document as it can be shown, and where in it a problem is. */
export interface SourceExcerpt {
  /** One line of visible characters, with `…` for what is kept back. */
  readonly text: string;
  /** Characters before the place of the problem. */
  readonly indent: number;
}

/** Keys whose values are no secrets. The values of all others, misspelt ones too, are not shown. */
const OPEN_KEYS: ReadonlySet<string> = new Set(
  [
    'version endpoints consumers grants id description name labels enabled credentials scenario match hosts paths',
    'prefix exact methods method authentication accessCondition trafficControl limits requests unit per options',
    'keyNames query header hideCredentials algorithms clockSkewSeconds acceptRealHttpVersion requireTimestamp',
    'parameterEncoding strictParameters unsignedQuery unsignedBody tokenInQuery replayProtection signatureHints mode',
    'onLimiterFailure state notBefore expiresAt endpoint consumer env file',
  ].flatMap((line) => line.split(' ')),
);

/** A key with its colon: quoted, or plain with a blank or the end of the line behind it. */
const KEY = /(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*:(?=\s|$|["'{[])/g;

/** What can stand before the first key of a line that continues nothing. */
const LINE_START = /^[\s\-?[{,]*$/;

/** Lines looked back at for the key that a line without one belongs to. */
const MAX_LINES_BACK = 100;

/** Stands for what is kept back. */
const HIDDEN = '…';

/** Lines are cut to these many characters around the problem. */
const MAX_WIDTH = 160;

/**
 * The line of a problem in the lines of its file, without what could be a secret: shown is what stands before the first key that is not known to
 * be harmless. Null when nothing of the line can be shown.
 */
export function excerptOf(lines: readonly string[], { line, column }: Position): SourceExcerpt | null {
  const shown = hideSecrets(lines, line - 1);
  if (shown === null || shown.trim() === '') return null;
  const place = Math.min(column - 1, shown.endsWith(HIDDEN) ? shown.length - 1 : shown.length);
  const start = shown.length <= MAX_WIDTH ? 0 : Math.max(0, place - MAX_WIDTH / 2);
  const cut = shown.slice(start, start + MAX_WIDTH);
  const head = start > 0 ? '…' : '';
  const tail = start + MAX_WIDTH < shown.length ? '…' : '';
  return { text: `${head}${visible(cut)}${tail}`, indent: head.length + place - start };
}

/** A line, cut before the first value that could be a secret; null when it continues one. */
function hideSecrets(lines: readonly string[], index: number): string | null {
  const line = (lines[index] ?? '').replace(/\r$/, '');
  const keys = [...line.matchAll(KEY)];
  const isContinued = !LINE_START.test(line.slice(0, keys[0]?.index ?? line.length));
  if (isContinued && !continuesOpenKey(lines, index)) return null;
  const hidden = keys.find((key) => !isOpen(key));
  return hidden === undefined ? line : `${line.slice(0, hidden.index)}${hidden[0]} ${HIDDEN}`;
}

function continuesOpenKey(lines: readonly string[], index: number): boolean {
  for (const line of lines.slice(Math.max(0, index - MAX_LINES_BACK), index).reverse()) {
    const keys = [...line.matchAll(KEY)];
    if (keys.length > 0) return keys.every(isOpen);
  }
  return false;
}

function isOpen(key: RegExpExecArray): boolean {
  return OPEN_KEYS.has(key[1] ?? key[2] ?? key[3] ?? '');
}

/** Tabs would move the mark below the line. */
function visible(text: string): string {
  return replaceInvisible(text.replaceAll('\t', ' '));
}
