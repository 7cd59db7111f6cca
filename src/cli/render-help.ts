import type { Command } from 'commander';
import { HELP_COLUMNS, helpFileOf } from './built-help.ts';
import { loadProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

/** The help of every command by its file: what the build writes for `readBuiltHelp`. */
export async function renderHelp(): Promise<ReadonlyMap<string, string>> {
  let written = '';
  const out = { isTerminal: false, columns: HELP_COLUMNS, write: (text: string) => void (written += text) };
  const terminal: Terminal = {
    environment: {},
    out,
    err: out,
    onStopSignal: () => undefined,
    onCrash: () => undefined,
    exit: (code) => {
      throw new Error(`exit ${String(code)}`);
    },
  };
  const texts = new Map<string, string>();
  const render = (command: Command, words: readonly string[]): void => {
    written = '';
    command.outputHelp();
    texts.set(helpFileOf(words), written);
    for (const child of command.commands) render(child, [...words, child.name()]);
  };
  render(await loadProgram([], terminal, () => undefined), []);
  return texts;
}
