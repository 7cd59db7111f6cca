import type { ReadProblem } from './read-result.ts';

/** The words of each command of a pipeline, in order. */
export type Pipeline = readonly (readonly string[])[];

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
};
const EXPANSION = /^[$`](?=[A-Za-z_{(0-9@*#?!`'"]|`)/;
const ANSI_ESCAPE = /^(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3}))/;
const LONGEST_ESCAPE = 10;
const LAST_CODE_POINT = 0x10ffff;

/**
 * Splits the first command line of a text into words as a POSIX shell would, with `$'…'` of bash too; one character a
 * byte. A line goes on after a backslash; it ends with its line, `;`, `&` or a redirection. Nothing is expanded: a
 * variable or command substitution is a problem, since its value is not known here.
 */
export function readPipeline(text: string): Pipeline | ReadProblem {
  return new ShellReader(text).readPipeline();
}

class ShellReader {
  readonly #text: string;
  #at = 0;
  #problem: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  readPipeline(): Pipeline | ReadProblem {
    const commands: string[][] = [[]];
    while (this.#problem === null) {
      this.#skipBlanks();
      const char = this.#text[this.#at];
      if (char === undefined || /[\n;&<>]/.test(char) || (char === '#' && this.#isWordStart())) break;
      if (char === '|') {
        this.#at += 1;
        while (/[\s]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
        commands.push([]);
        continue;
      }
      const word = this.#readWord();
      // `2>&1`: a number before a redirection is no word.
      if (/^\d$/.test(word) && /[<>]/.test(this.#text[this.#at] ?? '')) break;
      commands.at(-1)?.push(word);
    }
    if (this.#problem === null && this.#text[this.#at] === '<') {
      this.#problem = 'the command reads its body with "<"; write -d @FILE instead';
    }
    return this.#problem === null ? commands : { problem: this.#problem };
  }

  #isWordStart(): boolean {
    return this.#at === 0 || /\s/.test(this.#text[this.#at - 1] ?? '');
  }

  #skipBlanks(): void {
    for (;;) {
      const rest = this.#text.slice(this.#at, this.#at + 3);
      if (rest[0] === ' ' || rest[0] === '\t' || rest[0] === '\r') this.#at += 1;
      else if (rest.startsWith('\\\r\n')) this.#at += 3;
      else if (rest.startsWith('\\\n')) this.#at += 2;
      else return;
    }
  }

  #readWord(): string {
    const parts: string[] = [];
    while (this.#problem === null) {
      const char = this.#text[this.#at];
      if (char === undefined || /[\s;&|<>]/.test(char)) break;
      if (char === "'") parts.push(this.#readSingleQuoted());
      else if (char === '"') parts.push(this.#readDoubleQuoted());
      else if (this.#text.startsWith("$'", this.#at)) parts.push(this.#readAnsiQuoted());
      else if (this.#isExpansion()) break;
      else if (char === '\\') {
        if (/^\\\r?\n/.test(this.#text.slice(this.#at, this.#at + 3))) break;
        parts.push(this.#text[this.#at + 1] ?? '');
        this.#at += 2;
      } else {
        parts.push(char);
        this.#at += 1;
      }
    }
    return parts.join('');
  }

  #readSingleQuoted(): string {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end === -1) return this.#fail('a single quote is not closed');
    const value = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return value;
  }

  #readDoubleQuoted(): string {
    const parts: string[] = [];
    this.#at += 1;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) return this.#fail('a double quote is not closed');
      if (char === '"') break;
      if (this.#isExpansion()) return '';
      const next = this.#text[this.#at + 1] ?? '';
      if (char === '\\' && /[$`"\\\n]/.test(next)) {
        if (next !== '\n') parts.push(next);
        this.#at += 2;
      } else {
        parts.push(char);
        this.#at += 1;
      }
    }
    this.#at += 1;
    return parts.join('');
  }

  #readAnsiQuoted(): string {
    const parts: string[] = [];
    this.#at += 2;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) return this.#fail("a quote that begins with $' is not closed");
      if (char === "'") break;
      if (char === '\\') parts.push(this.#readEscape());
      else {
        parts.push(char);
        this.#at += 1;
      }
    }
    this.#at += 1;
    return parts.join('');
  }

  #readEscape(): string {
    const start = this.#at + 1;
    const numeric = ANSI_ESCAPE.exec(this.#text.slice(start, start + LONGEST_ESCAPE));
    if (numeric !== null) {
      const [whole, byte, short, long, octal] = numeric;
      this.#at = start + whole.length;
      if (byte !== undefined) return String.fromCharCode(parseInt(byte, 16));
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 0xff);
      const codePoint = parseInt(short ?? long ?? '', 16);
      if (codePoint > LAST_CODE_POINT) return this.#fail(`\\${whole} is no character`);
      return Buffer.from(String.fromCodePoint(codePoint), 'utf8').toString('latin1');
    }
    const char = this.#text[start] ?? '';
    this.#at = start + char.length;
    return SIMPLE_ESCAPES[char] ?? (/[\\'"?]/.test(char) ? char : `\\${char}`);
  }

  #isExpansion(): boolean {
    const found = EXPANSION.exec(this.#text.slice(this.#at, this.#at + 2));
    if (found === null) return false;
    const name = /^[$`]\w*/.exec(this.#text.slice(this.#at, this.#at + 40))?.[0] ?? '';
    this.#fail(`the command holds ${name}…, whose value is not known here; give the request as it was sent (curl -v)`);
    return true;
  }

  #fail(problem: string): string {
    this.#problem ??= problem;
    return '';
  }
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
 * vanishes with it, when another one follows that one stays. An unquoted line end, `&`, `|`, `<` or `>` ends the command.
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

/** As the C runtime of Windows splits a command line: `\"` and, within quotes, `""` are a quote; other backslashes stay. */
function splitArguments(line: string): readonly string[] | ReadProblem {
  const words: string[] = [];
  let word: string | null = null;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    const backslashes = /^\\+(?=")/.exec(line.slice(at))?.[0].length ?? 0;
    if (backslashes > 0) {
      const isQuote: boolean = backslashes % 2 === 1;
      word = `${word ?? ''}${'\\'.repeat(Math.floor(backslashes / 2))}${isQuote ? '"' : ''}`;
      at += isQuote ? backslashes : backslashes - 1;
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
