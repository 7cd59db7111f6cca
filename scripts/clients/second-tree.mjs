// The project in another folder, as somebody else has it who builds its packages again.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

function git(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout;
}

/** What is installed or generated, and not built: linked. */
function installed(root) {
  const inClients = readdirSync(join(root, 'clients')).flatMap((client) =>
    ['node_modules', 'vendor'].map((name) => `clients/${client}/${name}`),
  );
  return ['node_modules', '.services', 'src/gen', ...inClients].filter((path) => existsSync(join(root, path)));
}

/**
 * Makes `folder` a copy of the project at `root`: its files as they are, with new times and modes that another umask
 * gives, and its git history. What is installed is linked.
 */
export function writeSecondTree(root, folder) {
  // cargo writes the commit into its package.
  git(root, 'clone', '--quiet', '--shared', '--no-checkout', root, folder);
  git(folder, 'reset', '--quiet');
  const paths = git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0').filter(Boolean);
  for (const path of paths.filter((each) => existsSync(join(root, each)))) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, readFileSync(join(root, path)));
    chmodSync(target, (statSync(join(root, path)).mode & 0o100) === 0 ? 0o660 : 0o770);
  }
  for (const path of installed(root)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
}
