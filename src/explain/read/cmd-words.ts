import type { ReadProblem } from './problem.ts';

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
