// The packages of clients/: what each makes, what it needs, and how its registry's own tools judge it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMavenProblems } from './maven-rules.mjs';

const npm = (client, name) => ({
  client,
  name,
  artefacts: (version) => [`${name}-${version}.tgz`],
  tools: ['npm', 'publint'],
  commands: (version) => [['publint', 'run', `dist/${name}-${version}.tgz`, '--strict']],
});

/**
 * Each: `client`, the folder below clients/; `name`, that of the package; `artefacts`, the files that `./run build`
 * leaves in `dist/`; `tools`, the programs that must be there; `commands`, run in the folder of the client, each of
 * which must end with 0; `find`, for rules that no program judges here, gives problems as sentences.
 */
export const packages = [
  npm('javascript', 'postern-client'),
  npm('explain', 'postern-explain'),
  {
    client: 'python',
    name: 'postern-client',
    artefacts: (version) => [`postern_client-${version}-py3-none-any.whl`, `postern_client-${version}.tar.gz`],
    tools: ['python3', 'twine'],
    commands: (version) => [
      [
        'twine',
        'check',
        '--strict',
        `dist/postern_client-${version}-py3-none-any.whl`,
        `dist/postern_client-${version}.tar.gz`,
      ],
    ],
  },
  {
    client: 'go',
    name: 'github.com/postern-gateway/postern/clients/go',
    artefacts: (version) => [`proxy/github.com/postern-gateway/postern/clients/go/@v/v${version}.zip`],
    published: (version) => [`postern-client-go-v${version}.zip`],
    tools: ['go'],
    commands: () => [
      ['go', 'vet', './...'],
      ['go', 'mod', 'verify'],
    ],
    find: ({ folder }) => {
      const [, path = 'none'] = /^module (\S+)$/m.exec(readFileSync(join(folder, 'go.mod'), 'utf8')) ?? [];
      const expected = 'github.com/postern-gateway/postern/clients/go';
      return path === expected ? [] : [`go.mod: the module is ${path}, where Go will look for ${expected}`];
    },
  },
  {
    client: 'java',
    name: 'io.github.postern-gateway:postern-client',
    artefacts: (version) =>
      ['.jar', '-sources.jar', '-javadoc.jar', '.pom'].map((ending) => `postern-client-${version}${ending}`),
    tools: ['mvn', 'javac', 'javadoc'],
    commands: () => [],
    find: findMavenProblems,
  },
  {
    client: 'php',
    name: 'postern-gateway/client',
    artefacts: (version) => [`postern-client-${version}.zip`],
    published: (version) => [`postern-client-php-${version}.zip`],
    tools: ['php', 'composer'],
    // The archive has its version in composer.json, so that it can be installed from a folder; the tag is the same one.
    commands: () => [['composer', 'validate', '--strict', '--no-check-version', '--no-interaction']],
  },
  {
    client: 'rust',
    name: 'postern-client',
    artefacts: (version) => [`postern-client-${version}.crate`],
    tools: ['cargo'],
    // Builds what it packs, and refuses metadata that crates.io would.
    commands: () => [['cargo', 'package', '--quiet', '--locked', '--allow-dirty']],
  },
  {
    client: 'shell',
    name: 'postern-curl',
    artefacts: (version) => [`postern-curl-${version}.tar.gz`],
    tools: ['shellcheck', 'dash'],
    commands: () => [
      ['shellcheck', '-x', '-s', 'sh', 'postern-curl', 'run'],
      ['dash', '-n', 'postern-curl'],
    ],
  },
];
