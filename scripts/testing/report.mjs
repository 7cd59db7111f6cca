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
