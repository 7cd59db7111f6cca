import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../support/docs/documents.ts';

/** Where operators and programs are told what is right: commands, the console, and the schema of the API. */
const FOLDERS = ['cli', 'operators/console', 'operators/api'];
/** Calls and properties whose texts are help. */
const HELP_CALLS = ['description', 'summary', 'option', 'requiredOption', 'argument', 'Option', 'InvalidArgumentError'];
const HELP_PROPERTIES = ['notes', 'hint', 'label', 'description', 'summary'];
/** Calls and properties that bound what is taken. */
const BOUND_CALLS = ['min', 'max', 'length'];
const BOUND_PROPERTIES = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/** What no limit is: an example of a form, a status, a range of characters, a place in a text that others own. */
const NO_LIMITS = [
  /`[^`]*`/g,
  /\b(?:RFC|ISO) \d+(?: §[\d.]+)?/g,
  /\bexit codes? \d\b/g,
  /\bsince 1970\b/g,
  /\b(?:20[014]|2xx|4(?:0[013459]|09|1[235]|2[289]|31)|50[03])\b/g,
  /\d{4}-\d\d-\d\dT[\d:]+Z/g,
  /\b\d+[smhdw]\b/g,
  /\b0-9\b/g,
  // Of a name or an address: OAuth2, hmac-sha256, UTF-8, 127.0.0.1:9003, 100/minute.
  /[^\s\d]+\d[^\s]*|\d+(?:[.:/]\S+)/g,
];

/** The limits that a text of help names in digits of its own; 0 and 1 are none. */
function limitsIn(text: string): readonly string[] {
  const rest = NO_LIMITS.reduce((left, pattern) => left.replaceAll(pattern, ' '), text);
  return (rest.match(/\d+/g) ?? []).filter((number) => Number(number) > 1);
}

interface Found {
  readonly help: readonly string[];
  readonly bounds: readonly string[];
}

function nameOf(node: ts.CallExpression | ts.NewExpression): string {
  const { expression } = node;
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : '';
}

/** The limits that a source file writes as digits in its help, and where it bounds what it takes. */
function findIn(file: string): Found {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const help: string[] = [];
  const bounds: string[] = [];
  const visit = (node: ts.Node, isHelp: boolean): void => {
    let isInHelp = isHelp;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      isInHelp = HELP_CALLS.includes(nameOf(node));
      const isBound = ts.isCallExpression(node) && BOUND_CALLS.includes(nameOf(node));
      const isOfMath = node.expression.getText().startsWith('Math.');
      if (isBound && !isOfMath) for (const given of node.arguments) noteBound(given);
    } else if (ts.isPropertyAssignment(node)) {
      const name = node.name.getText();
      if (name === 'examples') return;
      isInHelp = HELP_PROPERTIES.includes(name);
      if (BOUND_PROPERTIES.includes(name)) noteBound(node.initializer);
    }
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isInHelp && isText)
      for (const limit of limitsIn(node.text)) help.push(`${limit} in ${JSON.stringify(node.text)}`);
    ts.forEachChild(node, (child) => {
      visit(child, isInHelp);
    });
  };
  const noteBound = (given: ts.Expression): void => {
    if (ts.isNumericLiteral(given) && Number(given.text) > 1) bounds.push(given.parent.getText());
  };
  visit(source, false);
  return { help, bounds };
}

describe('a limit is written once', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(projectRoot, 'src', folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(projectRoot, 'src', folder, file)),
  );
  const found = files.map((file) => [file.slice(projectRoot.length), findIn(file)] as const);

  it('so that help takes it from the code', () => {
    assert.ok(files.length > 150, 'the source was read');
    assert.deepEqual(
      found.flatMap(([file, { help }]) => help.map((text) => `${file}: ${text}`)),
      [],
    );
  });

  it('so that the schema of the API takes it from the code', () => {
    assert.deepEqual(
      found.flatMap(([file, { bounds }]) => bounds.map((text) => `${file}: ${text}`)),
      [],
    );
  });

  it('and this test sees one in a text', () => {
    for (const [text, limits] of [
      ['An App Key has 1 to 128 of the characters a-z 0-9', ['128']],
      ['reported for 15 s is stale', ['15']],
      ['Up to 10 000 changes', ['10', '000']],
      ['at most 512 characters, and 256 of a secret', ['512', '256']],
      ['such as 7d, 100/minute/consumer, OAuth2, or since 1970: 401, RFC 6750 §3', []],
    ] as const) {
      assert.deepEqual(
        limitsIn(text),
        limits.filter((number) => Number(number) > 1),
        text,
      );
    }
  });
});
