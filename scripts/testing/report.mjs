// What the test runner prints.

const isTerminal = process.stdout.isTTY === true;
const paint = (code, text) => (isTerminal ? `\x1b[${code}m${text}\x1b[0m` : text);

/** `12 passed, 0 failed, 3 skipped` */
export const countsText = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** Adds counts up. */
export function sumCounts(all) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const counts of all) for (const key of Object.keys(sum)) sum[key] += counts[key];
  return sum;
}

/** One line for a finished step, and what it wrote when it failed. */
export function printStep(name, { isGood, text, seconds, output }) {
  const mark = isGood ? paint(32, '✔') : paint(31, '✘');
  process.stdout.write(`${mark} ${name.padEnd(28)} ${text}  (${seconds.toFixed(1)} s)\n`);
  if (!isGood && output.trim() !== '') process.stdout.write(`${output.trimEnd()}\n\n`);
}

/** A line about something that is no step. */
export function printNote(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Collects the results of jobs and prints a line for each finished step `{ name, jobs }`, in the order of the steps. The
 * seconds of a step are those of its jobs, added up. `results()` gives the counts of every step that ended or began.
 */
export function stepPrinter(steps) {
  const states = steps.map(({ name, jobs }) => ({ name, left: jobs, result: { ...none } }));
  let printed = 0;
  return {
    add: (name, { passed, failed, skipped, output, seconds }) => {
      const state = states.find((each) => each.name === name);
      const { result } = state;
      state.left -= 1;
      result.passed += passed;
      result.failed += failed;
      result.skipped += skipped;
      result.seconds += seconds;
      if (failed > 0) result.output += output;
      for (; printed < states.length && states[printed].left === 0; printed += 1) print(states[printed]);
    },
    results: () => states.map(({ result }) => result),
  };
}

const none = { passed: 0, failed: 0, skipped: 0, seconds: 0, output: '' };

function print({ name, result }) {
  const isGood = result.failed === 0;
  const text = result.passed + result.skipped === 0 ? (isGood ? 'good' : 'failed') : countsText(result);
  printStep(name, { ...result, isGood, text });
}
