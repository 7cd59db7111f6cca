// What npm runs after `npm ci`: the build. npx makes npm prepare the project too, before every single
// command of it; then what was built is taken as it is.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const isForCommand = process.env.npm_command === 'exec' && existsSync(`${root}/dist/main.js`);
if (!isForCommand) {
  const { status } = spawnSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
