import { replaceInvisible } from '../document/source-text.ts';
import type { Output } from './terminal.ts';

/** Writes lines that may repeat arguments, settings or names of files: what would change how a terminal shows them is replaced. */
export function writeSafely(output: Pick<Output, 'write'>, text: string): void {
  output.write(text.split('\n').map(replaceInvisible).join('\n'));
}
