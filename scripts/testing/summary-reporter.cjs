// Mocha's `spec` output, and beside it the counts as JSON in the file of reporter option `output`.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class SummaryReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { output } = options.reporterOptions;
    runner.once('end', () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats;
      writeFileSync(output, JSON.stringify({ passed, failed, skipped }));
    });
  }
};
