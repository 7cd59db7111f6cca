// Runs test files one after the other with mocha, as the runner asks over IPC. Modules and servers that files share
// stay from one file to the next. When the runner lets go, the process has to end by itself: what a test left open
// shows then.
//
//   asked      { file, timeoutMs, dryRun, verbose, color }, or 'end'
//   answered   { passed, failed, skipped, output, measured }
import Mocha from 'mocha';
import { measureFile } from './measure.mjs';

const { Base, Spec } = Mocha.reporters;

/** Mocha's own text: of every test with `verbose`, otherwise of failures only. */
const reporterOf = (verbose) =>
  class extends Base {
    constructor(runner, options) {
      super(runner, options);
      if (verbose) new Spec(runner, options);
      else runner.once('end', () => this.stats.failures > 0 && this.epilogue());
    }
  };

async function runFile({ file, timeoutMs, dryRun, verbose, color }) {
  const measure = measureFile();
  const mocha = new Mocha({ timeout: timeoutMs, dryRun, color, forbidOnly: true, forbidPending: true });
  mocha.reporter(reporterOf(verbose));
  mocha.addFile(file);
  await mocha.loadFilesAsync();
  return new Promise((resolve) => {
    const runner = mocha.run((failures) => {
      const { passes: passed, pending: skipped } = runner.stats;
      // A rejection that nobody awaits goes from one runner's listener to the next, in every order of those that stay.
      runner.dispose();
      resolve({ passed, failed: failures, skipped, measured: measure.end() });
    });
    measure.watch(runner);
  });
}

let last = Promise.resolve();
process.on('message', (question) => {
  if (question === 'end') {
    process.disconnect();
    return;
  }
  last = last
    .then(() => runFile(question))
    .catch((error) => {
      process.stdout.write(`${error.stack ?? error}\n`);
      return { passed: 0, failed: 1, skipped: 0, measured: null };
    })
    .then((answer) => process.send(answer));
});
