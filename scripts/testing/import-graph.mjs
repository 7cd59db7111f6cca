// Which files need which, read from their text: what they import, and the paths of the project that they name.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { root } from './child.mjs';

const isCode = (file) => /\.[cm]?[jt]s$/.test(file);

/**
 * An import of types alone changes nothing that runs. By a pattern, not by the compiler as in scripts/rooms: that takes
 * five times as long for all files of the project.
 */
const imports = /(?:^|[\s;])(?:import|export)\s(?!type\s)[^'"`;]*?from\s*'([^']+)'|\bimport\(?\s*'([^']+)'/g;
const urls = /new URL\('([^']+)',\s*import\.meta\.url\)/g;
const strings = /'([\w.@/-]+)'/g;

/** What the built program is made of. */
const entry = 'src/main.ts';
/** Paths from fewest imports: naming a path is further than importing it, and running the program further than both. */
const costs = { import: 1, path: 3, program: 6 };

/** Every file of the work tree that git knows or would add. */
export function listFiles(directory = root) {
  const output = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: directory,
    maxBuffer: 64 * 1024 * 1024,
  });
  return output.toString().split('\0').filter(Boolean);
}

/**
 * How far each file is from the given ones: `Map` of file to cost, only for what needs one of them, directly or not.
 * A named folder stands for all that is in it.
 */
export async function findDependents(changed, { directory = root, files = listFiles(directory), extra = {} } = {}) {
  const known = new Set([...files, ...changed]); // what is gone may still be imported
  const folders = new Set(files.flatMap(foldersOf));
  const needers = new Map();
  const add = (target, file, cost) => {
    if (target === file) return;
    if (!needers.has(target)) needers.set(target, []);
    needers.get(target).push({ file, cost });
  };
  for (const file of files.filter(isCode)) {
    const text = await readFile(join(directory, file), 'utf8').catch(() => '');
    // Only there is a single word a folder of the project.
    const namesFolders = text.includes('projectRoot');
    const near = (specifier) => normalize(join(dirname(file), specifier)).replace(/\/$/, '');
    for (const [, from, dynamic] of text.matchAll(imports)) {
      const target = near(from ?? dynamic);
      if (known.has(target)) add(target, file, costs.import);
    }
    const named = [...text.matchAll(urls)]
      .map(([, path]) => near(path))
      .concat([...text.matchAll(strings)].map(([, path]) => path));
    for (const path of new Set(named)) {
      if (/^dist(\/main\.js)?$/.test(path)) add(entry, file, costs.program);
      else if (known.has(path) || (folders.has(path) && (path.includes('/') || namesFolders)))
        add(path, file, costs.path);
    }
  }
  for (const [file, targets] of Object.entries(extra)) for (const target of targets) add(target, file, costs.path);
  return spread(changed, needers);
}

function foldersOf(file) {
  const parts = file.split('/');
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** The least cost to each file, by Dijkstra's method with a queue for each cost. */
function spread(changed, needers) {
  const cost = new Map();
  const queues = [[...changed]];
  for (let now = 0; now < queues.length; now += 1) {
    for (const file of queues[now] ?? []) {
      if (cost.has(file)) continue;
      cost.set(file, now);
      for (const target of [file, ...foldersOf(file)]) {
        for (const { file: needer, cost: more } of needers.get(target) ?? []) (queues[now + more] ??= []).push(needer);
      }
    }
  }
  return cost;
}
