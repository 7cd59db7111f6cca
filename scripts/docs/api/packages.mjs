// The API documentation of each client: what writes it, from its sources, and what it must hold.
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const importPath = 'github.com/postern-gateway/postern/clients/go';

const pythonModules = ['requests', 'httpx', 'urllib'].map((name) => `postern.${name}`);

/** What Doxygen reads of a configuration: one setting a line. */
const doxygen = (folder, out) => `PROJECT_NAME = "Postern client for PHP"
INPUT = ${folder}/src
EXCLUDE_PATTERNS = */Internal/*
RECURSIVE = YES
FILE_PATTERNS = *.php
STRIP_FROM_PATH = ${folder}/src
OPTIMIZE_OUTPUT_JAVA = YES
JAVADOC_AUTOBRIEF = YES
EXTRACT_ALL = YES
GENERATE_LATEX = NO
HTML_OUTPUT = .
OUTPUT_DIRECTORY = ${out}
TIMESTAMP = NO
QUIET = YES
WARNINGS = NO
`;

/**
 * Each: `client`, the folder below clients/; `title`; `tools`, the programs that must be there; `page`, where a reader
 * begins; `symbols`, a text that each of these files must hold; `commands`, what to run: `{ folder, root, out, version,
 * text }` to `[{ program, args, cwd, env, into }]`, where `text(name, content)` gives the path of a file with that
 * content, and `into` gets the standard output; `finish`, what is left to do then.
 */
export const apis = [
  {
    client: 'javascript',
    title: 'JavaScript, TypeScript',
    tools: ['npm', 'typedoc'],
    page: 'index.html',
    symbols: { 'functions/createClient.html': 'PosternClient', 'interfaces/MessageSettings.html': 'coverAlso' },
    commands: ({ folder, out }) => [
      ...(existsSync(join(folder, 'node_modules'))
        ? []
        : [{ program: 'npm', args: ['ci', '--silent', '--ignore-scripts'], cwd: folder }]),
      {
        program: 'typedoc',
        args: ['--out', out, '--readme', 'none', '--disableSources', '--name', 'postern-client', 'src/index.ts'],
        cwd: folder,
      },
    ],
  },
  {
    client: 'python',
    title: 'Python',
    tools: ['pdoc'],
    page: 'postern.html',
    symbols: {
      'postern.html': 'MessageSignature',
      'postern/requests.html': 'Session',
      'postern/httpx.html': 'AsyncClient',
    },
    commands: ({ folder, out }) => [
      {
        program: 'pdoc',
        args: ['--no-show-source', '--docformat', 'restructuredtext', '-o', out, 'postern', ...pythonModules],
        cwd: folder,
        env: { PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
      },
    ],
  },
  {
    client: 'go',
    title: 'Go',
    tools: ['go'],
    page: 'index.html',
    symbols: { 'index.html': 'NewMessageSignature' },
    commands: ({ folder, root, out }) => [
      {
        program: 'go',
        args: ['run', '.', folder, importPath],
        cwd: join(root, 'clients/tools/godoc'),
        into: join(out, 'index.html'),
      },
    ],
  },
  {
    client: 'java',
    title: 'Java',
    tools: ['mvn', 'javac', 'javadoc', 'jar'],
    page: 'index.html',
    symbols: { 'io.github.postern.client/io/github/postern/client/PosternClient.html': 'messageSignature' },
    commands: ({ folder, out, version }) => [
      { program: join(folder, 'run'), args: ['build'], cwd: folder },
      { program: 'jar', args: ['xf', join(folder, `dist/postern-client-${version}-javadoc.jar`)], cwd: out },
    ],
  },
  {
    client: 'php',
    title: 'PHP',
    tools: ['doxygen'],
    page: 'annotated.html',
    symbols: { 'classPostern_1_1Client_1_1HttpMessageSignature.html': '__construct' },
    commands: ({ folder, out, text }) => [
      { program: 'doxygen', args: [text('Doxyfile', doxygen(folder, out))], cwd: out },
    ],
  },
  {
    client: 'rust',
    title: 'Rust',
    tools: ['cargo'],
    page: 'postern_client/index.html',
    symbols: { 'postern_client/struct.HttpMessageSignature.html': 'cover_also' },
    commands: ({ folder }) => [
      {
        program: 'cargo',
        args: ['doc', '--quiet', '--no-deps', '--lib', '--locked', '--all-features'],
        cwd: folder,
        env: { CARGO_TARGET_DIR: join(folder, 'target'), CARGO_BUILD_JOBS: '1' },
      },
    ],
    finish: ({ folder, out }) => {
      const from = join(folder, 'target/doc');
      for (const name of readdirSync(from))
        if (name !== 'driver') cpSync(join(from, name), join(out, name), { recursive: true });
    },
  },
];
