// `postern` with node_modules/.bin on the path is what was built: npm links the programs of dependencies there, but not
// those of the project itself. Whoever types npx before it gets the same in the project's folder, and no other build.
import { chmodSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const programs = pathOf('node_modules/.bin');
const link = `${programs}/postern`;

chmodSync(pathOf('dist/main.js'), 0o755);
if (existsSync(programs)) {
  rmSync(link, { force: true });
  symlinkSync('../../dist/main.js', link);
}
