// Runs the steps of a release check one after the other. What passed on this very tree is not run again.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInterrupted, runChild } from '../testing/child.mjs';

const minuteMs = 60_000;

/** The last line of an output that says something: most steps end with their counts. */
function lastLine(output) {
  return output.trimEnd().split('\n').at(-1).trim().slice(0, 100);
}

/** What was recorded of this tree; nothing of another one counts. */
function readRecord(file, tree) {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8'));
    return record.tree === tree ? record.results : [];
  } catch (error) {
    if (error.code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
    return [];
  }
}

async function runStep({ command: [program, ...args], env, minutes }, logFile) {
  const start = performance.now();
  try {
    const { code, output, isTooLate } = await runChild(program, args, { env, deadlineMs: minutes * minuteMs });
    writeFileSync(logFile, output);
    const result = isTooLate
      ? { result: 'failed', detail: `not ended after ${minutes} minutes` }
      : { result: code === 0 ? 'passed' : 'failed', detail: lastLine(output) };
    return { ...result, seconds: (performance.now() - start) / 1000 };
  } catch (error) {
    if (error.code === undefined) throw error;
    return { result: 'failed', detail: `${program} cannot be started: ${error.code}`, seconds: 0 };
  }
}

/**
 * Runs steps and gives `{ name, where, result, detail, seconds, isKept }` of each; `result` is `passed`, `failed` or
 * `not run`. `folder` gets the output of each step and the record. `tree` names what is checked; with null nothing is
 * recorded. `isAgain` runs also what passed before. `report(result)` is called after each step.
 */
export async function runSteps(steps, { folder, tree, isAgain = false, report }) {
  mkdirSync(folder, { recursive: true });
  const recordFile = join(folder, 'results.json');
  const former = tree === null ? [] : readRecord(recordFile, tree);
  const passed = isAgain ? [] : former.filter(({ result }) => result === 'passed');
  const kept = new Map(passed.map((each) => [each.name, each]));
  const results = [];
  for (const step of steps) {
    if (isInterrupted()) break;
    const { name, where } = step;
    const reason = step.lacks();
    let result;
    if (kept.has(name)) result = { ...kept.get(name), isKept: true };
    else if (reason !== null) result = { name, where, result: 'not run', detail: reason, seconds: 0, isKept: false };
    else {
      const logFile = join(folder, `${name.replaceAll(/[^a-z0-9-]+/g, '-')}.log`);
      result = { name, where, ...(await runStep(step, logFile)), isKept: false };
      // An interrupted step has failed by the interruption.
      if (isInterrupted()) break;
    }
    results.push(result);
    // A call for one step keeps what the others gave.
    const others = former.filter((each) => !results.some((other) => other.name === each.name));
    if (tree !== null) writeFileSync(recordFile, `${JSON.stringify({ tree, results: [...others, ...results] })}\n`);
    report(result);
  }
  return results;
}

function timeText(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** The table of all steps (what, where, time, result), and below it what the results mean together. */
export function formatSteps(results, { expected }) {
  const rows = results.map(({ name, where, seconds, result, detail, isKept }) => [
    name,
    where,
    result === 'not run' ? '' : timeText(seconds),
    `${result}${isKept ? ' before' : ''}: ${detail}`,
  ]);
  const table = [['what', 'where', 'min:s', 'result'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const count = (wanted) => results.filter(({ result }) => result === wanted).length;
  const left = expected - results.length;
  const sum = [
    `${count('passed')} of ${expected} passed`,
    `${count('failed')} failed`,
    `${count('not run')} cannot be run on this machine`,
    ...(left > 0 ? [`${left} not reached`] : []),
  ].join(', ');
  return `${[...lines, '', sum].join('\n')}\n`;
}
