// Tools that say yes or no; each adds to the failures only.
import { join } from 'node:path';
import { root, runChild } from './child.mjs';

const deadlineMs = 15 * 60_000;
const installed = (program) => join(root, 'node_modules/.bin', program);
/** Tests have servers whose deadlines run; tools can wait, and use what is left of the processors. */
const niceness = '5';

/**
 * A program that decides the steps `names`: the exit code has a bit for each that failed, or is anything else when one
 * failed. `run` gives `{ name: counts }`.
 */
function tool(names, program, ...args) {
  return {
    names,
    run: async ({ verbose }) => {
      const { code, output } = await runChild('nice', ['-n', niceness, program, ...args], { deadlineMs, verbose });
      const isKnown = code !== null && code < 1 << names.length;
      const hasFailed = (index) => (isKnown ? (code & (1 << index)) !== 0 : true);
      const counts = (failed) => ({ passed: 0, failed: failed ? 1 : 0, skipped: 0, output });
      return Object.fromEntries(names.map((name, index) => [name, counts(hasFailed(index))]));
    },
  };
}

const typeCheck = tool(['type check'], installed('tsc'), '-p', 'tsconfig.test.json');
const lint = (...files) => tool(['lint'], installed('eslint'), '--no-warn-ignored', ...files);
const typesAndLint = (...files) =>
  tool(['type check', 'lint'], process.execPath, 'scripts/testing/types-and-lint.mjs', ...files);
const format = (...files) => tool(['format'], installed('biome'), 'format', '--no-errors-on-unmatched', ...files);
const rooms = tool(['rooms'], process.execPath, 'scripts/rooms.mjs');
const docs = tool(['docs'], process.execPath, 'scripts/docs.mjs', '--without-apis');

/** The steps of tools, in the order in which they are reported. */
export const toolSteps = ['type check', 'lint', 'rooms', 'format', 'docs'];

/**
 * The tools for the wanted steps, the one that takes longest first; `changed`: for these files of the work tree only,
 * and only as far as they have a say in them.
 */
export function toolsFor(steps, changed = null) {
  const linted = changed?.filter((file) => /\.[cm]?[jt]s$/.test(file)) ?? ['.'];
  const formatted = changed?.filter((file) => /\.([cm]?[jt]s|json|css)$/.test(file)) ?? ['.'];
  const isWanted = {
    'type check': linted.length > 0,
    lint: linted.length > 0,
    rooms: changed === null || changed.some((file) => file.startsWith('src/') || file.startsWith('scripts/rooms')),
    format: formatted.length > 0,
    docs: changed === null || changed.some((file) => file.startsWith('docs/') || /^[^/]+\.md$/.test(file)),
  };
  const wanted = new Set(steps.filter((step) => isWanted[step]));
  const isBoth = wanted.has('type check') && wanted.has('lint');
  return [
    ...(isBoth ? [typesAndLint(...linted)] : []),
    ...(!isBoth && wanted.has('type check') ? [typeCheck] : []),
    ...(!isBoth && wanted.has('lint') ? [lint(...linted)] : []),
    ...(wanted.has('rooms') ? [rooms] : []),
    ...(wanted.has('docs') ? [docs] : []),
    ...(wanted.has('format') ? [format(...formatted)] : []),
  ];
}
