// What commands of package.json have in common: reading options, help, and exit codes.
import { parseArgs } from 'node:util';

/**
 * Reads the options and runs the command with their values. Sets the exit code: 0 done or help, 1 for a `Failure`, whose
 * message says what is wrong, or what `run` gives, 2 for wrong options. `check` throws for a value that cannot be.
 */
export async function runCommand({ usage, options, check = () => {}, Failure, run }) {
  process.exitCode = await execute();

  async function execute() {
    let values;
    try {
      ({ values } = parseArgs({ options: { ...options, help: { type: 'boolean', default: false } } }));
      check(values);
    } catch (error) {
      process.stderr.write(`${error.message}\n\n${usage}`);
      return 2;
    }
    if (values.help) {
      process.stdout.write(usage);
      return 0;
    }
    try {
      return (await run(values)) ?? 0;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      process.stderr.write(`${error.message}\n`);
      return 1;
    }
  }
}
