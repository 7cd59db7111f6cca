import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { startSystemTimer } from '../base/clock.ts';
import type { Output, Terminal } from './terminal.ts';

const STANDARD_INPUT = 0;
const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** The terminal of this process. When a reader is gone (`postern config | head -1`), writing ends quietly. */
export function processTerminal(): Terminal {
  return {
    environment: process.env,
    out: outputOf(process.stdout, STANDARD_OUTPUT),
    err: outputOf(process.stderr, STANDARD_ERROR),
    ask: isatty(STANDARD_INPUT) && isatty(STANDARD_ERROR) ? ask : null,
    onStopSignal: (stop) => {
      // SIGHUP: the terminal was closed.
      for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
        process.on(name, () => {
          stop({ isHurried: name === 'SIGINT' });
        });
      }
      // npm exec, which is npx, has programs in a shell: its own signals end the shell, and none is passed on.
      if (process.env['npm_command'] === 'exec') {
        onParentGone(() => {
          stop({ isHurried: false });
        });
      }
    },
    onCrash: (report) => {
      process.on('uncaughtException', report);
    },
    exit: (code) => process.exit(code),
  };
}

const PARENT_CHECK_MS = 250;

/** Calls once when the process that started this one has ended. */
function onParentGone(act: () => void): void {
  const parent = process.ppid;
  const look = (): void => {
    if (process.ppid === parent) startSystemTimer(PARENT_CHECK_MS, look);
    else act();
  };
  look();
}

/** Standard output stays free for what the command prints. */
async function ask(question: string, isHidden = false): Promise<string> {
  const [{ createInterface }, { Writable }] = await Promise.all([import('node:readline'), import('node:stream')]);
  if (isHidden) process.stderr.write(question);
  // The editor of lines writes what is typed: here to nobody.
  const nobody = new Writable({
    write: (_piece, _encoding, done) => {
      done();
    },
  });
  return await new Promise((resolve) => {
    const output = isHidden ? nobody : process.stderr;
    const lines = createInterface({ input: process.stdin, output, terminal: true });
    lines.once('SIGINT', () => {
      lines.close();
    });
    lines.once('close', () => {
      // Without an answer the cursor still stands behind the question.
      process.stderr.write('\n');
      resolve('');
    });
    lines.question(isHidden ? '' : question, (answer) => {
      lines.removeAllListeners('close');
      if (isHidden) process.stderr.write('\n');
      resolve(answer);
      lines.close();
    });
  });
}

function outputOf(stream: NodeJS.WriteStream, descriptor: number): Output {
  let isGone = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    isGone = true;
    // A writer that waits for the stream to take more need not wait any longer.
    stream.emit('drain');
  });
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal: isatty(descriptor),
    // Looked up when asked, because windows change their size.
    get columns() {
      return stream.columns;
    },
    settled: async () => {
      if (!isGone && stream.writableNeedDrain) await once(stream, 'drain');
      // A pipe without a reader is reported after the write.
      await nextTurn();
      return !isGone;
    },
  };
}
