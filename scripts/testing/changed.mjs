// `npm test -- --changed`: what reaches a change, the nearest first, for about two minutes.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './child.mjs';
import { findDependents, listFiles } from './import-graph.mjs';
import { reached, suites } from './suites.mjs';
import { toolsFor } from './tools.mjs';

/** What two busy workers run beside the type check in two minutes. */
const budgetSeconds = 100;
/** How much nearer a test is that is named like the folder that changed: `test/e2e/oauth2` and `src/gateway/oauth2`. */
const namesake = 8;

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
  return stdout;
}

/** The files that differ from the commit in the work tree, new ones too. */
function changedSince(commit) {
  const names = (text) => text.split('\0').filter(Boolean);
  return new Set([
    ...names(git('diff', '--name-only', '-z', '--no-renames', commit)),
    ...names(git('ls-files', '-z', '--others', '--exclude-standard')),
  ]);
}

/** The folders that a file is about: `src/methods/hmac/verify.ts` is about `methods` and `hmac`. */
const subjects = (file) =>
  file
    .split('/')
    .slice(1)
    .map((part) => part.replace(/\..*$/, ''));

/**
 * Narrows `{ files: { suite: [file] }, steps }` to `{ files, tools }` for what reaches the files changed since a commit,
 * the merge base with `main` unless given. `note` is told what was chosen, and how much was left out.
 */
export async function chooseChanged({ files, steps }, { since, times, note }) {
  const commit = since ?? git('merge-base', 'HEAD', 'main').trim();
  const changed = changedSince(commit);
  const all = Object.values(files).flat();
  const extra = Object.fromEntries(all.map((file) => [file, reached(file)]));
  const present = listFiles().filter((file) => existsSync(join(root, file)));
  const costs = await findDependents(changed, { files: present, extra });
  const about = new Set([...changed].flatMap(subjects));
  const nearness = (file) => costs.get(file) - (subjects(file).some((subject) => about.has(subject)) ? namesake : 0);
  const reaching = all
    .filter((file) => costs.has(file))
    .sort((a, b) => nearness(a) - nearness(b) || times.of(a) - times.of(b));

  const chosen = new Set();
  let seconds = 0;
  for (const file of reaching) {
    if (chosen.size > 0 && seconds + times.of(file) > budgetSeconds) continue;
    chosen.add(file);
    seconds += times.of(file);
  }
  const left = reaching.length - chosen.size;
  note(
    `${changed.size} changed files since ${commit.slice(0, 12)}; ${reaching.length} test files reach them. ` +
      (left === 0 ? 'All of these run.' : `The nearest ${chosen.size} run; "npm test" also runs the other ${left}.`),
  );
  return {
    files: Object.fromEntries(suites.map(({ name }) => [name, files[name].filter((file) => chosen.has(file))])),
    tools: toolsFor(
      steps,
      present.filter((file) => changed.has(file)),
    ),
  };
}
