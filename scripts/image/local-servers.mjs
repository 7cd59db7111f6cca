// Images of the servers beside Postern, made of the programs that scripts/install-services installs, for machines that
// reach no registry of images. MongoDB's is under the SSPL: to test with, not to hand on.
import { join } from 'node:path';
import { installServices, InstallFailure } from '../../services/install-services.mjs';
import { catalogue } from '../../services/catalogue.mjs';
import { DockerFailure } from './docker.mjs';
import { addOpenFolder, addProgram, importTree, isThere, layOutTree, withTemporaryFolder } from './local-base.mjs';

const servers = {
  IMAGE_ENVOY: { service: 'envoy', path: '/usr/local/bin/envoy' },
  IMAGE_MONGODB: { service: 'mongodb', path: '/usr/bin/mongod', folders: ['data/db'] },
  IMAGE_RATELIMIT: { service: 'ratelimit', path: '/bin/ratelimit' },
  IMAGE_VALKEY: { service: 'redis', path: '/usr/bin/valkey-server' },
};

/**
 * Makes the images that are missing, and gives their names by the variable of deploy/compose/compose.yaml that puts
 * them in place.
 */
export async function makeServerImages({ onProgress = () => {} } = {}) {
  const names = {};
  for (const [variable, { service, path, folders = [] }] of Object.entries(servers)) {
    const name = `local/${service}:${catalogue[service].version}`;
    names[variable] = name;
    if (await isThere(name)) continue;
    const programs = await installServices([service], { onProgress }).catch((error) => {
      if (error instanceof InstallFailure) throw new DockerFailure(error.message);
      throw error;
    });
    await withTemporaryFolder(async (folder) => {
      const tree = join(folder, 'tree');
      layOutTree(tree);
      for (const own of folders) addOpenFolder(tree, own);
      await addProgram(programs[service], tree, path);
      await importTree(tree, name, [`CMD ["${path}"]`, 'ENV PATH=/usr/local/bin:/usr/bin:/bin']);
    });
  }
  return names;
}
