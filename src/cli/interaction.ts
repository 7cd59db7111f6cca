import type { Clock } from '../base/clock.ts';
import { UsageError } from './failure.ts';
import { grouped } from '../base/text/printable.ts';
import type { ExitCode, Output, Terminal } from './terminal.ts';

/**
 * Asks whether to go on with something that cannot be undone (interfaces §5); only `y` and `yes` mean that. Throws
 * {@link UsageError} where there is no terminal to ask at: such commands need `--yes`.
 */
export async function confirm(question: string, terminal: Pick<Terminal, 'ask'>): Promise<boolean> {
  return /^\s*y(es)?\s*$/i.test(await requireAsk(terminal)(`${question} [y/N] `));
}

/** What asks at the terminal. Throws as {@link confirm}, for a command that would otherwise print before it asks. */
export function requireAsk({ ask }: Pick<Terminal, 'ask'>): NonNullable<Terminal['ask']> {
  if (ask === undefined || ask === null) throw new UsageError('there is no terminal to ask at; add --yes');
  return ask;
}

/**
 * Whether long work is to stop at its next step, for which a stop signal asks; a second one ends the process at once,
 * after `onSecond`. Both are announced on the error stream.
 */
export function watchForStop(
  terminal: Terminal,
  {
    first,
    second = '',
    exitCode,
    onSecond,
    isOver = () => false,
  }: {
    readonly first: string;
    readonly second?: string;
    readonly exitCode: ExitCode;
    readonly onSecond?: () => void;
    /** Whether the work is done: signals then belong to what comes after it. */
    readonly isOver?: () => boolean;
  },
): () => boolean {
  let signals = 0;
  terminal.onStopSignal(() => {
    if (isOver()) return;
    signals += 1;
    terminal.err.write(signals === 1 ? first : second);
    if (signals === 1) return;
    onSecond?.();
    terminal.exit(exitCode);
  });
  return () => signals > 0;
}

/** Shows how far long work is. Disposing removes it from the screen. */
interface ProgressBar extends Disposable {
  /** So much is done; `total` is null while it is not known. */
  readonly update: (done: number, total: number | null) => void;
}

const WIDTH = 24;
const REDRAW_MS = 100;
const LINE_MS = 5000;
/** Back to the beginning of the line, and the line is empty. */
const ERASE = '\r\u001b[K';

/**
 * Progress of one piece of work. On a terminal a bar on one line, which is gone at the end; elsewhere a plain line
 * every few seconds, so that logs of jobs show progress, and none for short work.
 */
export function startProgress(label: string, output: Output, clock: Clock): ProgressBar {
  let lastMs = output.isTerminal ? -Infinity : clock.nowMs();
  let isDrawn = false;
  return {
    update: (done, total) => {
      const nowMs = clock.nowMs();
      if (nowMs - lastMs < (output.isTerminal ? REDRAW_MS : LINE_MS)) return;
      lastMs = nowMs;
      if (!output.isTerminal) {
        output.write(`${label}: ${describe(done, total)}\n`);
        return;
      }
      isDrawn = true;
      output.write(`${ERASE}${label} ${total === null ? '' : `${barOf(done, total)} `}${describe(done, total)}`);
    },
    [Symbol.dispose]: () => {
      if (isDrawn) output.write(ERASE);
      isDrawn = false;
    },
  };
}

function barOf(done: number, total: number): string {
  const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.floor((done / total) * WIDTH));
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}]`;
}

function describe(done: number, total: number | null): string {
  if (total === null) return grouped(done);
  const percent = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
  return `${String(percent)} % (${grouped(done)} of ${grouped(total)})`;
}
