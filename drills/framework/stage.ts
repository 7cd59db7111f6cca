import { createColors } from 'picocolors';
import { runPostern } from '../../test/support/cli/run-postern.ts';
import type { PosternSettings } from '../../test/support/stack/postern-process.ts';

/** Something was not as a drill expected it. */
export class DrillFailed extends Error {}

/** Where commands run, and with which settings. */
export interface OperatorsShell {
  readonly environment: PosternSettings;
  /** Their working directory; it is left out of what is shown. */
  readonly folder: string;
}

/** How a command is to end, when not with 0, and what of its output is a secret. */
export interface CommandOptions {
  readonly code?: number;
  /** Shown as dots. */
  readonly secrets?: (out: string) => readonly string[];
  /** Of a long output only so many lines are shown. */
  readonly lines?: number;
}

/** Where a drill shows what it does and what is seen. */
export interface Stage {
  /** Begins a step: a sentence about what is done, in the imperative. */
  step(text: string): void;
  /** Says something that is neither a step nor an expectation. */
  note(text: string): void;
  /** Something that was seen, as it was. */
  show(text: string): void;
  /** States what must be so, and ends the drill when it is not; `found` says what was found instead. */
  expect(what: string, holds: boolean, found?: string): void;
  /** Runs a `postern` command as an operator does, shows it with what it prints, and gives that. */
  postern(shell: OperatorsShell, line: string, options?: CommandOptions): Promise<string>;
}

/** A stage that writes to `write`, in colours when `isTerminal`; `run` runs its commands. */
export function createStage(write: (text: string) => void, isTerminal: boolean, run = runPostern): Stage {
  const colors = createColors(isTerminal);
  let steps = 0;
  const line = (text = ''): void => {
    write(`${text}\n`);
  };
  const show = (text: string): void => {
    for (const each of text.trimEnd().split('\n')) line(`     ${colors.dim(each)}`.trimEnd());
  };
  const expect: Stage['expect'] = (what, holds, found) => {
    line(`   ${holds ? colors.green('✓') : colors.red('✗')} ${what}`);
    if (holds) return;
    throw new DrillFailed(found === undefined ? what : `${what}; found: ${found}`);
  };
  return {
    step: (text) => {
      steps += 1;
      line();
      line(colors.bold(`${String(steps)}. ${text}`));
    },
    note: (text) => {
      line(`   ${text}`);
    },
    show,
    expect,
    postern: async ({ environment, folder }, command, { code = 0, secrets, lines } = {}) => {
      line(`   ${colors.cyan(`$ postern ${command}`)}`);
      const ended = await run(command.split(' '), environment, folder);
      let shown = `${ended.out}${ended.err}`.replaceAll(`${folder}/`, '');
      for (const secret of secrets?.(ended.out) ?? []) shown = shown.replaceAll(secret, '…');
      const all = shown.trimEnd().split('\n');
      show(all.slice(0, lines).join('\n'));
      if (lines !== undefined && all.length > lines) show('…');
      if (code !== 0) line(`   ${colors.dim(`exit code ${String(ended.code)}`)}`);
      if (ended.code !== code) {
        throw new DrillFailed(`"postern ${command}" ended with ${String(ended.code)}, not ${String(code)}`);
      }
      return ended.out;
    },
  };
}
