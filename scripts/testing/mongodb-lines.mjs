// Lines of MongoDB that Postern is tested on, and where a machine has one.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { servicesDirectory } from '../../services/install-services.mjs';

/** The supported lines, oldest first. `npm test` runs the first, which registries of packages have. */
export const mongodbLines = ['6.0', '7.0', '8.0'];

/**
 * Where tests get a server of a line: `{ where, env }` with the environment of the tests, or null where the machine has
 * neither a program of it (`mongod-7.0` or `mongod`, in .services/bin or on PATH) nor Docker.
 */
export function findMongodb(line) {
  for (const folder of [join(servicesDirectory, 'bin'), ...(process.env.PATH ?? '').split(delimiter)]) {
    for (const command of [`mongod-${line}`, 'mongod']) {
      const program = join(folder, command);
      const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
      const version = /^db version v(\S+)$/m.exec(status === 0 ? stdout : '')?.[1];
      if (version?.startsWith(`${line}.`))
        return { where: version, env: { POSTERN_TEST_MONGODB: 'local', POSTERN_TEST_MONGOD: program } };
    }
  }
  if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status !== 0) return null;
  return { where: `image mongo:${line}`, env: { POSTERN_TEST_MONGODB_IMAGE: `mongo:${line}` } };
}
