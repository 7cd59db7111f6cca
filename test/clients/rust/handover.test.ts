import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { built, describeHandedOver } from '../../support/clients/handed-over.ts';
import { projectRoot } from '../../support/docs/documents.ts';

const client = join(projectRoot, 'clients/rust');

/** As `clients/rust/run` builds, so that dependencies are built once for the client's own tests and for these. */
const env = {
  CARGO_TARGET_DIR: join(client, 'target'),
  CARGO_PROFILE_DEV_DEBUG: '0',
  CARGO_INCREMENTAL: '0',
  RUSTFLAGS: '-D warnings',
};

/** The calls here are plain HTTP, so that no TLS library, which takes minutes, is built; versions are the client's. */
async function simplify(folder: string): Promise<void> {
  const file = join(folder, 'Cargo.toml');
  const manifest = await readFile(file, 'utf8');
  await writeFile(file, manifest.replace(/^reqwest = \{ /m, '$&default-features = false, '));
  await copyFile(join(client, 'Cargo.lock'), join(folder, 'Cargo.lock'));
}

describeHandedOver('rust', built('rust', 'dist/postern-client-0.1.0.crate'), () => Promise.resolve({ env, simplify }));
