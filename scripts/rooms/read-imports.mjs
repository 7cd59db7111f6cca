import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** The files of a folder of sources, from there: `check/check.ts`. What is generated is left out. */
export function listSources(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => name.split('\\').join('/'))
    .filter((name) => name.endsWith('.ts') && !name.startsWith('gen/'))
    .sort();
}

/** What the files import of each other: `{ from, to, isType }` for each statement, `import()` included. */
export function readImports(folder, files = listSources(folder)) {
  return files.flatMap((from) =>
    importsOf(from, readFileSync(join(folder, from), 'utf8'))
      .map(({ specifier, isType }) => ({ from, to: normalize(join(dirname(from), specifier)), isType }))
      .filter(({ to }) => !to.startsWith('..') && !to.startsWith('gen/')),
  );
}

function importsOf(name, text) {
  const found = [];
  const add = (specifier, isType) => {
    if (specifier?.text?.startsWith('.')) found.push({ specifier: specifier.text, isType });
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, hasOnlyTypes(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
  return found;
}

function hasOnlyTypes(clause) {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = clause;
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly)
  );
}
