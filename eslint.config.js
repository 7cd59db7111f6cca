import { dirname, relative, resolve } from 'node:path';
import tseslint from 'typescript-eslint';

const noBarrels = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  { selector: 'ExportAllDeclaration', message: 'No barrel files.' },
  { selector: 'TSEnumDeclaration', message: 'Use an `as const` table.' },
];
const noAmbientClock = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take the clock as an argument.' },
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'Take the clock as an argument.' },
  { selector: "MemberExpression[object.name='Math'][property.name='random']", message: 'Use node:crypto.' },
];
const secretName = '/(signature|secret|token|digest)$/i';
const noNaiveCompare = [
  {
    selector: `BinaryExpression[operator=/^[!=]==?$/]:not([right.type="Literal"][right.raw="null"]):not([right.name="undefined"]) > Identifier[name=${secretName}]`,
    message: 'Compare secrets with equal().',
  },
  {
    selector: `BinaryExpression[operator=/^[!=]==?$/]:not([right.type="Literal"][right.raw="null"]):not([right.name="undefined"]) > MemberExpression[property.name=${secretName}]`,
    message: 'Compare secrets with equal().',
  },
];

/**
 * The rooms of src/, lowest first: a file imports from its own room and from lower lines only, so that no two rooms need
 * each other. A room is a file or folder of src/, or one of the folders within `store/` that only composition roots know.
 */
const layers = [
  ['latin1.ts'],
  [
    'clock.ts',
    'files',
    'finding.ts',
    'gen',
    'grpc-transport.ts',
    'linked-list.ts',
    'made-once.ts',
    'net',
    'pending.ts',
    'programs',
    'protobuf',
    'printable.ts',
    'resilience',
    'services',
    'unseen.ts',
    'version.ts',
  ],
  ['config-values.ts', 'document', 'http2'],
  ['model'],
  ['store'],
  ['refusal.ts', 'replay'],
  ['signing'],
  ['keyring'],
  ['receive'],
  ['refusals', 'route'],
  ['tokens'],
  ['methods'],
  ['authorize'],
  ['resources'],
  ['import', 'store/file'],
  ['config.ts', 'manage', 'oauth2'],
  ['handover', 'tls'],
  ['grpc-client'],
  ['limit', 'store/mongodb'],
  ['respond'],
  ['check.ts', 'explain'],
  ['api', 'server'],
  ['observe'],
  ['doctor', 'gateway'],
  ['console'],
  ['demo', 'management'],
  ['cli'],
  ['main.ts'],
];
/** The files that may know a kind of store. Everything else takes the ports of `store/` and `manage/`. */
const storeRooms = ['store/file', 'store/mongodb'];
const mayKnowStores = ['gateway/store.ts', 'cli/store/open-store.ts'];

const src = `${import.meta.dirname}/src/`;
const roomOf = (path) => {
  const [folder, inner] = path.split('/');
  return storeRooms.includes(`${folder}/${inner}`) ? `${folder}/${inner}` : folder;
};
const levelOf = (room) => layers.findIndex((rooms) => rooms.includes(room));

const layerRule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const path = relative(src, context.filename);
    const room = roomOf(path);
    const check = (node, target) => {
      if (typeof target !== 'string' || !target.startsWith('.')) return;
      const other = roomOf(relative(src, resolve(dirname(context.filename), target)));
      if (other === '..' || other === room) return;
      for (const name of [room, other]) {
        if (levelOf(name) === -1) context.report({ node, message: `Name the layer of ${name} in eslint.config.js.` });
      }
      if (storeRooms.includes(other) && !mayKnowStores.includes(path)) {
        context.report({ node, message: `${path} takes a port of store/ or manage/ instead of ${other}.` });
      } else if (levelOf(other) >= levelOf(room)) {
        context.report({ node, message: `${room} is not above ${other} (layers in eslint.config.js).` });
      }
    };
    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      ImportExpression: (node) => check(node, node.source.value),
    };
  },
};

export default tseslint.config(
  {
    ignores: [
      'build/',
      'dist/',
      'src/gen/',
      '.services/',
      'scripts/',
      'services/',
      'deploy/',
      'clients/**/dist/',
      'clients/**/target/',
      'clients/**/vendor/',
      'clients/postman/',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.test.json' } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { postern: { rules: { layers: layerRule } } },
    rules: {
      'postern/layers': 'error',
      'no-restricted-syntax': ['error', ...noBarrels, ...noAmbientClock, ...noNaiveCompare],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^\\.{1,2}/?$', message: 'Import the file, not the folder.' },
            {
              regex: '^(\\.\\./)+(attacks|bench|drills|scripts|test)/',
              message: 'Those use src/, and src/ uses none of them.',
            },
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Reflect', property: 'get', message: "What types do not show is a library's own." },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'Only main.ts and cli/process-terminal.ts touch the process.' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/return-await': ['error', 'always'],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  { files: ['src/clock.ts'], rules: { 'no-restricted-syntax': ['error', ...noBarrels, ...noNaiveCompare] } },
  // The socket below a TLS socket, and where a socket keeps the option `onread`: Node says nothing of it in public.
  { files: ['src/server/listening.ts', 'src/http2/socket-input.ts'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['src/main.ts', 'src/cli/process-terminal.ts'], rules: { 'no-restricted-globals': 'off' } },
  {
    files: ['clients/{javascript,explain}/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...noBarrels],
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['describe', 'it'] }] },
      ],
      eqeqeq: 'error',
    },
  },
  {
    files: ['clients/javascript/**/*.ts'],
    languageOptions: { parserOptions: { project: './clients/javascript/tsconfig.test.json' } },
  },
  {
    files: ['clients/explain/**/*.ts'],
    languageOptions: { parserOptions: { project: './clients/explain/tsconfig.json' } },
  },
  {
    files: ['clients/javascript/src/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^[^.]', message: 'The package has no dependencies.' }] },
      ],
      'no-restricted-globals': ['error', 'process', 'Buffer'],
      'no-console': 'error',
    },
  },
  {
    files: ['eslint.config.js', 'clients/**/*.mjs', 'src/console/assets/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
