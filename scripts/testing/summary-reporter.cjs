// Mocha's own text, and beside it the counts as JSON in the file of reporter option `output`. With option `verbose` every
// test is named, otherwise only failures are.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class SummaryReporter extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    const { output, verbose } = options.reporterOptions;
    if (verbose !== undefined) new reporters.Spec(runner, options);
    runner.once('end', () => {
      const { passes: passed, failures: failed, pending: skipped } = runner.stats;
      writeFileSync(output, JSON.stringify({ passed, failed, skipped }));
      if (verbose === undefined) this.epilogue();
    });
  }
};
