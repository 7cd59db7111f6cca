import { Argument, type Command } from 'commander';
import type { CompletionNode } from './completion-tree.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Adds `postern completion`, which looks at all commands of the program when it runs. */
export function registerCompletion(program: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  program
    .command('completion')
    .description('Print a script that completes commands, flags and their values when Tab is pressed.')
    .addArgument(new Argument('<shell>', 'for which shell').choices(shells))
    .addHelpText(
      'after',
      `
Put the line for your shell into its start-up file.

Examples:
  $ source <(postern completion bash)     # ~/.bashrc
  $ source <(postern completion zsh)      # ~/.zshrc, after compinit
  $ postern completion fish | source      # ~/.config/fish/config.fish

Exit codes: 0 done, 2 usage.`,
    )
    .action(async (shell: Shell) => {
      const { completionTree } = await import('./completion-tree.ts');
      const tree = completionTree(program);
      terminal.out.write((await scriptOf(shell))(tree));
      finish(exitCodes.done);
    });
}

async function scriptOf(shell: Shell): Promise<(tree: readonly CompletionNode[]) => string> {
  switch (shell) {
    case 'bash':
      return (await import('./bash.ts')).bashCompletion;
    case 'zsh':
      return (await import('./zsh.ts')).zshCompletion;
    case 'fish':
      return (await import('./fish.ts')).fishCompletion;
  }
}
