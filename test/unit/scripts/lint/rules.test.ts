import assert from 'node:assert/strict';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { commentWidthRule } from '../../../../scripts/lint/comment-width.mjs';
import { docstringRule } from '../../../../scripts/lint/docstrings.mjs';
import { moduleStateRule } from '../../../../scripts/lint/module-state.mjs';
import { plainObjectRule } from '../../../../scripts/lint/plain-objects.mjs';

const rules = {
  'comment-width': commentWidthRule,
  docstrings: docstringRule,
  'module-state': moduleStateRule,
  'plain-objects': plainObjectRule,
};

/** What one rule reports of a source text. */
function findings(rule: keyof typeof rules, source: string): readonly string[] {
  const config = [
    {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser as Linter.Parser },
      plugins: { postern: { rules } },
      rules: { [`postern/${rule}`]: 'error' as const },
    },
  ];
  return new Linter().verify(source, config, 'a.ts').map(({ message }) => message);
}

describe('the rule that exports have docstrings', () => {
  const lacking = (name: string): readonly string[] => [
    `${name} is exported without a docstring: contract, units, refusals or errors, source.`,
  ];

  it('reports those of any kind without one', () => {
    for (const declaration of ['const a = 1', 'function a() {}', 'class a {}', 'interface a {}', 'type a = string']) {
      assert.deepEqual(findings('docstrings', `export ${declaration};`.replace('};', '}')), lacking('a'));
    }
  });

  it('takes no other comment for one', () => {
    assert.deepEqual(findings('docstrings', '// In seconds.\nexport const a = 1;'), lacking('a'));
    assert.deepEqual(findings('docstrings', '/** Another. */\nconst b = 1;\nexport const a = b;'), lacking('a'));
  });

  it('wants one for all overloads together, and none for the members of a table', () => {
    const overloads = '/** Reads. */\nexport function a(x: 1): 1;\nexport function a(x: 2): 2;';
    const table = '/** The units. */\nexport const units = ["s"] as const;\nexport type Unit = (typeof units)[number];';
    assert.deepEqual(findings('docstrings', overloads), []);
    assert.deepEqual(findings('docstrings', table), []);
  });
});

describe('the rule that modules keep no state', () => {
  const state = (name: string): readonly string[] => [
    `${name} is state of a module. Give it an owner, or say after "Module state:" what was measured.`,
  ];

  it('reports what can be assigned, memory, and collections that functions change', () => {
    assert.deepEqual(findings('module-state', 'let count = 0;'), state('count'));
    assert.deepEqual(findings('module-state', 'const memory = Buffer.alloc(64);'), state('memory'));
    assert.deepEqual(findings('module-state', 'const seen = new Set(); function f() { seen.add(1); }'), state('seen'));
    assert.deepEqual(
      findings('module-state', 'const last = { a: 1 }; const f = () => { last.a = 2; };'),
      state('last'),
    );
  });

  it('takes tables, and what the module itself fills while it is loaded', () => {
    assert.deepEqual(findings('module-state', 'const table = new Map([[1, 2]]); function f() { table.get(1); }'), []);
    assert.deepEqual(findings('module-state', 'const table = []; for (const a of [1]) table.push(a);'), []);
    assert.deepEqual(findings('module-state', 'const NOTHING = Buffer.alloc(0);'), []);
    assert.deepEqual(findings('module-state', 'function f() { let count = 0; count += 1; return count; }'), []);
  });

  it('takes state whose measurement a comment names', () => {
    const source = (comment: string): string => `/** The last text. ${comment} */\nlet last = '';`;
    assert.deepEqual(findings('module-state', source('Module state: reading one takes 0.4 µs.')), []);
    assert.deepEqual(findings('module-state', source('Module state:')), state('last'));
  });
});

describe('the rule of the width of comments', () => {
  it('reports a longer line, and an address only beside other words', () => {
    const reported = ['A comment goes beyond 120 columns.'];
    const address = `https://example.com/${'a'.repeat(120)}`;
    assert.deepEqual(findings('comment-width', `// ${'word '.repeat(24).trim()}`), reported);
    assert.deepEqual(findings('comment-width', `/**\n * ${'word '.repeat(25)}\n */`), reported);
    assert.deepEqual(findings('comment-width', `// See ${address}`), reported);
    assert.deepEqual(findings('comment-width', `// ${address}`), []);
    assert.deepEqual(findings('comment-width', `const a = '${'a'.repeat(130)}';`), []);
  });
});

describe('the rule that objects are written out', () => {
  it('reports an object spread where it stands, and no other spread', () => {
    const reported = ['Write the properties out, without a spread.'];
    assert.deepEqual(findings('plain-objects', 'const a = { ...{ b, c }, d };'), reported);
    assert.deepEqual(findings('plain-objects', 'const a = { ...b, ...(c ? {} : { d }) };'), []);
  });
});
