import { type Child, startChild } from '../process/child-process.ts';
import { release } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';
import { descendantsOf } from '../process/process-tree.ts';

const executable = new URL('../../../dist/main.js', import.meta.url).pathname;

/** The demo, for the tests of one `describe`; each ends with its test. */
export interface DemoInUse {
  /** Starts it with these arguments. */
  readonly start: (...args: readonly string[]) => Promise<Child>;
  /**
   * Starts it on free ports, without a console unless these arguments ask for one, and waits until everything is there;
   * gives what it started, too, the first one first.
   */
  readonly startWhole: (...args: readonly string[]) => Promise<{ demo: Child; children: readonly number[] }>;
  /** Its temporary directory, which must be empty when it has ended. */
  readonly temporary: () => string;
}

/** Prepares an empty temporary directory around each test of the calling `describe`. */
export function useDemo(): DemoInUse {
  const kept: AsyncDisposable[] = [];
  let temporary = '';
  beforeEach(async () => {
    const directory = await temporaryDirectory();
    temporary = directory.path;
    kept.push(directory);
  });
  afterEach(() => release(...kept.splice(0)));
  const start = async (...args: readonly string[]): Promise<Child> => {
    const child = await startChild({
      command: process.execPath,
      args: ['--enable-source-maps', executable, 'demo', ...args],
      // A setting of the caller's own Postern must not get in the way of the demo.
      // Libraries for colours take CI for a terminal.
      env: { TMPDIR: temporary, POSTERN_STORE: 'file:nowhere.yaml', CI: 'true' },
    });
    kept.push(child);
    return child;
  };
  return {
    start,
    startWhole: async (...args) => {
      const demo = await start('--port-base', '0', ...(args.length > 0 ? args : ['--without-console']));
      await demo.line('stdout', (line) => (line.includes('Ctrl-C ends the demo') ? line : null));
      return { demo, children: await descendantsOf(demo.pid) };
    },
    temporary: () => temporary,
  };
}
