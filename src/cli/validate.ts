import { type Command } from 'commander';
/** Interim. */
export function registerValidate(program: Command): void {
  program.command('validate');
}
