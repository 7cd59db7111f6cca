import picocolors from 'picocolors';
import type { Paint } from '../../manage/render-change.ts';
import type { Output, Terminal } from '../terminal.ts';

/** Colours for a stream: only on terminals, and only where they are wanted (https://no-color.org). */
export function paintFor(output: Output, environment: Terminal['environment']): Paint {
  const isWanted = (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
  return picocolors.createColors(output.isTerminal && isWanted);
}
