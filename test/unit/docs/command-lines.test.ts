import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPipeline } from '../../../src/partners/explain/read/shell-words.ts';
import { findDocuments, projectRoot, readDocument, readFences } from '../../support/docs/documents.ts';
import { runCli } from '../cli/run-cli.ts';

/** A command of this project that a document shows. */
interface Shown {
  readonly document: string;
  /** The words after the program. */
  readonly words: readonly string[];
}

/** The ways to call `postern` that documents use. */
const called = /(?:^|[\s(])(?:postern|node dist\/main\.js|npm run (?:--silent )?postern --)(?= +[a-z-])/g;

/** Lines of the shell fences of a document, those that go on put together, outputs left out. */
function shellLines(document: string): readonly string[] {
  const text = readDocument(document);
  const whole = (fence: string): readonly string[] => fence.replaceAll('\\\n', ' ').split('\n');
  return [
    ...['sh', 'bash'].flatMap((language) => readFences(text, language)).flatMap(whole),
    ...readFences(text, 'console')
      .flatMap(whole)
      .flatMap((line) => (line.startsWith('$ ') ? [line.slice('$ '.length)] : [])),
  ];
}

/** The `postern` commands of a line; variables stand for any word. */
function commandsOf(document: string, line: string): readonly Shown[] {
  const plain = line.replaceAll(/\$\([^)]*\)|\$\{?\w+\}?/g, 'VALUE').replace(/^\s*#.*/, '');
  return [...plain.matchAll(called)].flatMap(({ index, 0: program }) => {
    const pipeline = readPipeline(plain.slice(index + program.length).replaceAll(/[)]|<<.*/g, ' '));
    if ('problem' in pipeline) throw new Error(`${document}: ${line}: ${pipeline.problem}`);
    return [{ document, words: pipeline[0] ?? [] }];
  });
}

const helps = new Map<string, Promise<string>>();

/** The help of a command, by the words that lead to it. */
async function helpOf(path: readonly string[]): Promise<string> {
  const key = path.join(' ');
  const found = helps.get(key) ?? runCli([...path, '--help']).then(({ out }) => out);
  helps.set(key, found);
  return await found;
}

/** Why a command cannot be as it is shown; null when it can. */
async function faultOf(words: readonly string[]): Promise<string | null> {
  const path: string[] = [];
  let help = await helpOf(path);
  for (const word of words) {
    if (!/^Commands:$/m.test(help)) break;
    if (word.startsWith('-')) break;
    if (!new RegExp(`^  ${word}(\\||\\s|$)`, 'm').test(help)) return `there is no command ${[...path, word].join(' ')}`;
    path.push(word);
    help = await helpOf(path);
  }
  const flags = words.filter((word) => /^--?[a-zA-Z]/.test(word)).map((word) => word.replace(/=.*/s, ''));
  const unknown = flags.filter((flag) => !['--help', '--version'].includes(flag) && !hasFlag(help, flag));
  return unknown.length === 0 ? null : `${path.join(' ')} has no ${unknown.join(', ')}`;
}

function hasFlag(help: string, flag: string): boolean {
  return new RegExp(`^  (-\\w, )?${flag}[ ,\\n]|^  ${flag}, `, 'm').test(help);
}

describe('commands that documents show', () => {
  const documents = findDocuments();
  const shown = documents.flatMap((document) => shellLines(document).flatMap((line) => commandsOf(document, line)));

  it('are commands and flags that postern has', async () => {
    assert.ok(shown.length > 80, `only ${String(shown.length)} were found`);
    const faults: string[] = [];
    for (const { document, words } of shown) {
      const fault = await faultOf(words);
      if (fault !== null) faults.push(`${document}: postern ${words.join(' ')}: ${fault}`);
    }
    assert.deepEqual(faults, []);
  });

  it('are scripts that package.json has', () => {
    const { scripts } = JSON.parse(readDocument('package.json')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const missing = documents.flatMap((document) =>
      [...readDocument(document).matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)]
        .filter(([, name = '']) => !(name in scripts))
        .map(([command]) => `${document}: ${command}`),
    );
    assert.deepEqual(missing, []);
  });

  it('name files of the project that exist', () => {
    const missing = documents.flatMap((document) =>
      shellLines(document)
        .flatMap((line) => line.match(/(?<![\w/.:-])(?:deploy|scripts|examples|bench)\/[\w./-]+/g) ?? [])
        .filter((path) => !existsSync(join(projectRoot, path)))
        .map((path) => `${document}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });
});
