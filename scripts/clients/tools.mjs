// Where the tools of a release are: those of clients/tools in their exact versions, then those of the machine.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const advice = {
  npm: 'install Node, which has it',
  publint: 'npm ci in clients/tools must end with 0',
  typedoc: 'npm ci in clients/tools must end with 0',
  python3: 'install Python 3 with venv',
  twine: 'pip install -r clients/tools/requirements.txt must end with 0',
  shellcheck: 'pip install -r clients/tools/requirements.txt must end with 0',
  pdoc: 'pip install -r clients/tools/requirements.txt must end with 0',
  doxygen: 'install Doxygen; pip has it for Linux on x86-64 only',
  mvn: 'install Maven',
  php: 'scripts/install-services php',
  composer: 'scripts/install-services php',
};

/** What to do where a tool is missing. */
export const installAdvice = (tool) => advice[tool] ?? `install ${tool}`;

const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** This machine, for releases of the project at `root`. Programs run with the least priority, one at a time. */
export function thisMachine(root) {
  const php = join(root, '.services/bin/php');
  const folders = [
    join(root, 'clients/tools/node_modules/.bin'),
    join(root, 'clients/tools/vendor/venv/bin'),
    join(root, '.services/bin'),
    ...(existsSync(php) ? [dirname(realpathSync(php))] : []),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return {
    findTool: (name) => folders.map((folder) => join(folder, name)).find(isProgram) ?? null,
    // Elsewhere is another time zone, too: archives may hold local times.
    run: (program, args, { cwd, isElsewhere = false, env: more = {} }) =>
      new Promise((resolve, reject) => {
        const env = { ...process.env, ...(isElsewhere ? { TZ: 'Pacific/Auckland' } : {}), ...more };
        const child = spawn('nice', ['-n', '10', program, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
        const pieces = { stdout: '', output: '' };
        child.stdout.setEncoding('utf8').on('data', (piece) => {
          pieces.stdout += piece;
          pieces.output += piece;
        });
        child.stderr.setEncoding('utf8').on('data', (piece) => (pieces.output += piece));
        child.once('error', reject);
        child.once('close', (code) =>
          resolve({ code, stdout: pieces.stdout, output: pieces.output.split('\n').slice(-25).join('\n') }),
        );
      }),
  };
}

/** Installs what clients/tools names, where it is not there yet. What fails is missing later, and is told then. */
export function installTools(root) {
  const folder = join(root, 'clients/tools');
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const lockMark = join(folder, 'node_modules/.installed');
  if (!isSame(lockMark, lock)) {
    const { status } = spawnSync('npm', ['ci', '--silent', '--ignore-scripts'], options);
    if (status === 0) writeFileSync(lockMark, lock);
  }
  const requirements = readFileSync(join(folder, 'requirements.txt'), 'utf8');
  const mark = join(folder, 'vendor/venv/.installed');
  if (isSame(mark, requirements)) return;
  spawnSync('python3', ['-m', 'venv', '--clear', 'vendor/venv'], options);
  const pip = spawnSync('vendor/venv/bin/python', ['-m', 'pip', 'install', '-q', '-r', 'requirements.txt'], options);
  if (pip.status === 0) writeFileSync(mark, requirements);
}

const isSame = (file, text) => existsSync(file) && readFileSync(file, 'utf8') === text;
