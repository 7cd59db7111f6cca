import type { Command } from 'commander';
import { addNoun, type CommandContext } from '../command.ts';
import { registerList } from './list.ts';
import { registerRevert } from './revert.ts';
import { registerShow } from './show.ts';

/** Adds `postern audit` with its verbs. */
export function registerAudit(program: Command, context: CommandContext): void {
  const about = 'What was changed, by whom and when; and how to undo it.';
  const noun = addNoun(program, 'audit', about, 'audit list --since 7d');
  registerList(noun, context);
  registerShow(noun, context);
  registerRevert(noun, context);
}
