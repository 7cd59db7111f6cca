// Base images from npm and Debian packages, for machines that reach no registry of images.
//
// An image is a file tree: programs with the libraries that ldd lists, two users, the certificates of authorities.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { imageNodeVersion as nodeVersion, InstallFailure, installServices } from '../../services/install-services.mjs';
import { run } from '../../services/run.mjs';
import { DockerFailure, dockerOutput, lastLines, requireEngine } from './docker.mjs';

const npmVersion = '11.19.1';
const authorities = '/etc/ssl/certs/ca-certificates.crt';
const searchPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** The user that containers run as. */
export const containerUser = 65532;

/** Names of the images that {@link makeBaseImages} makes. */
export const baseImages = {
  buildImage: `local/node-build:${nodeVersion}`,
  runImage: `local/node-run:${nodeVersion}`,
};

/** Makes both base images of the Dockerfile unless they are there, and gives their names. */
export async function makeBaseImages() {
  await requireEngine();
  const missing = [];
  for (const name of Object.values(baseImages)) if (!(await isThere(name))) missing.push(name);
  if (missing.length === 0) return baseImages;
  return withTemporaryFolder(async (folder) => {
    const program = await installNode();
    if (missing.includes(baseImages.runImage)) await makeRunImage(program, join(folder, 'run'));
    if (missing.includes(baseImages.buildImage)) await makeBuildImage(program, folder);
    return baseImages;
  });
}

/** Whether the engine has an image of this name. */
export async function isThere(name) {
  return dockerOutput(['image', 'inspect', '--format', '{{.Id}}', name]).then(
    () => true,
    (error) => {
      if (error instanceof DockerFailure) return false;
      throw error;
    },
  );
}

/** Runs `work` with a folder that is gone afterwards. */
export async function withTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-image-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function must(command, args, options) {
  const answer = await run(command, args, options);
  if (answer.code === 0) return answer.stdout;
  throw new DockerFailure(`${command} ${args[0] ?? ''} failed:`, lastLines(answer.stderr || answer.stdout));
}

async function installNode() {
  const specification = `node@${nodeVersion}`;
  try {
    return realpathSync((await installServices([specification]))[specification]);
  } catch (error) {
    if (error instanceof InstallFailure) throw new DockerFailure(error.message);
    throw error;
  }
}

async function makeRunImage(program, tree) {
  layOutTree(tree);
  await addProgram(program, tree, '/nodejs/bin/node');
  await importTree(tree, baseImages.runImage, [
    'ENTRYPOINT ["/nodejs/bin/node"]',
    `USER ${containerUser}`,
    `ENV ${searchPath}`,
  ]);
}

async function makeBuildImage(program, folder) {
  const tree = join(folder, 'build');
  const archive = join(folder, 'debian.tar');
  if ((await run('mmdebstrap', ['--version'])).code !== 0) {
    throw new DockerFailure('The image to build in is made with mmdebstrap, which is not there.', [
      'Debian and Ubuntu: apt-get install mmdebstrap',
    ]);
  }
  await must('mmdebstrap', ['--quiet', '--variant=minbase', '--include=ca-certificates', 'bookworm', archive]);
  mkdirSync(tree);
  await must('tar', ['-C', tree, '-xf', archive, '--exclude=./dev']);
  await addProgram(program, tree, '/usr/local/bin/node');
  await must('npm', ['pack', '--silent', `npm@${npmVersion}`], { cwd: folder });
  const npm = join(tree, 'usr/local/lib/node_modules/npm');
  mkdirSync(npm, { recursive: true });
  await must('tar', ['-xzf', join(folder, `npm-${npmVersion}.tgz`), '-C', npm, '--strip-components=1']);
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(tree, 'usr/local/bin/npm'));
  // Behind a private authority npm must know it as this machine does.
  copyFileSync(authorities, join(tree, authorities));
  await importTree(tree, baseImages.buildImage, [
    `ENV ${searchPath} NODE_EXTRA_CA_CERTS=${authorities}`,
    'CMD ["node"]',
  ]);
}

/** Makes what every small image has: users, the certificates of authorities, /tmp. */
export function layOutTree(tree) {
  mkdirSync(join(tree, 'etc/ssl/certs'), { recursive: true });
  addOpenFolder(tree, 'tmp');
  writeFileSync(
    join(tree, 'etc/passwd'),
    `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${containerUser}:${containerUser}:nonroot:/tmp:/sbin/nologin\n`,
  );
  writeFileSync(join(tree, 'etc/group'), `root:x:0:\nnonroot:x:${containerUser}:\n`);
  copyFileSync(authorities, join(tree, authorities));
}

/** Puts a program into a tree, with the libraries it is linked to where they are not there already. */
export async function addProgram(program, tree, path) {
  place(program, join(tree, path), 0o755);
  const { stdout } = await run('ldd', [program]); // fails for programs without libraries
  for (const [library] of stdout.matchAll(/\/\S+/g)) {
    if (library !== `${program}:` && !existsSync(join(tree, library))) place(library, join(tree, library), 0o755);
  }
}

/** Makes a folder in a tree that every user may write to. */
export function addOpenFolder(tree, path) {
  mkdirSync(join(tree, path), { recursive: true });
  chmodSync(join(tree, path), 0o1777);
}

function place(from, to, mode) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(realpathSync(from), to);
  chmodSync(to, mode);
}

/** Makes an image of a tree. `changes` are instructions of a Dockerfile. */
export async function importTree(tree, name, changes) {
  const tar = spawn('tar', ['-C', tree, '--owner=0', '--group=0', '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await dockerOutput(['import', ...changes.flatMap((change) => ['--change', change]), '-', name], {
    stdin: tar.stdout,
  });
}
