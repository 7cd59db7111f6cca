import { bytesOf } from '../../../check/methods/explanation/text-encoding.ts';
import type { ReadProblem } from './read-result.ts';

/** The words of each command of a pipeline, in order. */
export type Pipeline = readonly (readonly string[])[];

/** What a variable or command substitution begins with. */
const EXPANSION = /[$`](?=[A-Za-z_{(0-9@*#?!`'"])/;
const TOKEN = joined([
  /(?<blank>[ \t\r]|\\\r?\n)/,
  /(?<pipe>\|[ \t\r\n]*)/,
  /(?<end>[\n;&<>])/,
  /'(?<single>[^']*)'/,
  /\$'(?<ansi>[^'\\]*(?:\\[^][^'\\]*)*)'/,
  /"(?<double>[^"\\]*(?:\\[^][^"\\]*)*)"/,
  /(?<open>\$'|['"])/,
  new RegExp(`(?<expansion>${EXPANSION.source})`),
  /\\(?<escaped>[^]?)/,
  /[^ \t\r\n\\'"$`|;&<>]+|[^]/,
]);
const DOUBLE_QUOTED = joined([/\\\n|\\([$`"\\])|\\/, EXPANSION]);

function joined(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'g');
}

const UNCLOSED: Readonly<Record<string, string>> = {
  "'": 'a single quote is not closed',
  '"': 'a double quote is not closed',
  "$'": "a quote that begins with $' is not closed",
};

/**
 * Splits the first command line of a text into words as a POSIX shell would, with `$'…'` of bash too; one character a
 * byte. A line goes on after a backslash; it ends with its line, `;`, `&` or a redirection. Nothing is expanded: a
 * variable or command substitution is a problem, since its value is not known here.
 */
export function readPipeline(text: string): Pipeline | ReadProblem {
  const commands: string[][] = [[]];
  let word: string | null = null;
  const endWord = (): void => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  for (const { 0: token, index, groups = {} } of text.matchAll(TOKEN)) {
    const { blank, pipe, end, single, ansi, double, open, expansion, escaped } = groups;
    if (blank !== undefined || pipe !== undefined) endWord();
    if (pipe !== undefined) commands.push([]);
    // `2>&1`: a number before a redirection is no word.
    if (/^[<>]$/.test(end ?? '') && /^\d$/.test(word ?? '')) word = null;
    if (end === '<') return { problem: 'the command reads its body with "<"; write -d @FILE instead' };
    if (end !== undefined || (token.startsWith('#') && word === null)) break;
    if (open !== undefined) return { problem: UNCLOSED[open] ?? '' };
    if (expansion !== undefined) return expansionProblem(text.slice(index));
    if (blank !== undefined || pipe !== undefined) continue;
    const piece: string | ReadProblem =
      double !== undefined
        ? readDoubleQuoted(double)
        : ansi !== undefined
          ? readAnsiQuoted(ansi)
          : (single ?? escaped ?? token);
    if (typeof piece !== 'string') return piece;
    word = (word ?? '') + piece;
  }
  endWord();
  return commands;
}

function expansionProblem(text: string): ReadProblem {
  const name = /^[$`]\w{0,39}/.exec(text)?.[0] ?? '';
  return {
    problem: `the command holds ${name}…, whose value is not known here; give the request as it was sent (curl -v)`,
  };
}

function readDoubleQuoted(content: string): string | ReadProblem {
  const problems: ReadProblem[] = [];
  const read = content.replace(DOUBLE_QUOTED, (found, escaped: string | undefined, at: number) => {
    if (/^[$`]/.test(found) && problems.length === 0) problems.push(expansionProblem(content.slice(at)));
    return escaped ?? (found === '\\' ? found : '');
  });
  return problems[0] ?? read;
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};
const ANSI_ESCAPE = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|([^]))/g;
const LAST_CODE_POINT = 0x10ffff;

function readAnsiQuoted(content: string): string | ReadProblem {
  const problems: ReadProblem[] = [];
  const read = content.replace(
    ANSI_ESCAPE,
    (found, byte?: string, short?: string, long?: string, octal?: string, simple?: string) => {
      if (simple !== undefined) return SIMPLE_ESCAPES[simple] ?? found;
      if (byte !== undefined) return String.fromCharCode(parseInt(byte, 16));
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 0xff);
      const codePoint = parseInt(short ?? long ?? '', 16);
      if (codePoint <= LAST_CODE_POINT) return bytesOf(String.fromCodePoint(codePoint));
      problems.push({ problem: `${found} is no character` });
      return '';
    },
  );
  return problems[0] ?? read;
}

/** A word of `^"…` or a line that ends with a blank and a caret: what only a command for cmd.exe has. */
const CMD_MARK = /(?:^|\s)\^"|\s\^\r?\n/;

/** Whether a command line is one for cmd.exe, such as "Copy as cURL (cmd)" of a browser gives. */
export function isCmdCommand(text: string): boolean {
  return CMD_MARK.test(text);
}

/** The words of the first command of a text, as cmd.exe and then the C runtime of the program read them. */
export function readCmdWords(text: string): readonly string[] | ReadProblem {
  return splitArguments(removeCarets(text));
}

/**
 * What cmd.exe hands to the program: outside quotes, a caret makes the next character plain, and a line end after it
 * vanishes with it, when another one follows that one stays. An unquoted line end, `&`, `|`, `<` or `>` ends the
 * command.
 */
function removeCarets(text: string): string {
  const kept: string[] = [];
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '"') isQuoted = !isQuoted;
    if (/[\r\n]/.test(char) || (!isQuoted && /[&|<>]/.test(char))) break;
    if (isQuoted || char !== '^') {
      kept.push(char);
      continue;
    }
    const [lineEnd = '', second = ''] = /^\r?\n(\r?\n)?/.exec(text.slice(at + 1, at + 5)) ?? [];
    kept.push(lineEnd === '' ? (text[at + 1] ?? '') : second === '' ? '' : '\n');
    at += Math.max(lineEnd.length, 1);
  }
  return kept.join('');
}

/**
 * As the C runtime of Windows splits a command line: `\"` and, within quotes, `""` are a quote; other backslashes stay.
 */
function splitArguments(line: string): readonly string[] | ReadProblem {
  const words: string[] = [];
  let word: string | null = null;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (char === '\\') {
      let length = 1;
      while (line[at + length] === '\\') length += 1;
      const isBeforeQuote = line[at + length] === '"';
      const isQuote: boolean = isBeforeQuote && length % 2 === 1;
      const kept: number = isBeforeQuote ? Math.floor(length / 2) : length;
      word = `${word ?? ''}${'\\'.repeat(kept)}${isQuote ? '"' : ''}`;
      at += isQuote ? length : length - 1;
    } else if (char === '"') {
      const isDoubled: boolean = isQuoted && line[at + 1] === '"';
      word = `${word ?? ''}${isDoubled ? '"' : ''}`;
      if (isDoubled) at += 1;
      else isQuoted = !isQuoted;
    } else if (!isQuoted && (char === ' ' || char === '\t')) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = `${word ?? ''}${char}`;
    }
  }
  if (isQuoted) return { problem: 'a double quote is not closed' };
  return word === null ? words : [...words, word];
}
