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

/** What the files of a folder import of each other, each statement and `import()`: `{ from, to, isType, isLazy }`. */
export function readImports(folder, files = listSources(folder)) {
  return files
    .flatMap((from) =>
      importsOf(from, readFileSync(join(folder, from), 'utf8'))
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier, ...how }) => ({ from, to: normalize(join(dirname(from), specifier)), ...how })),
    )
    .filter(({ to }) => !to.startsWith('..') && !to.startsWith('gen/'));
}

/**
 * What a file imports, packages too: `{ specifier, isType, isLazy }`. Types alone are gone when it runs; `import()` is
 * lazy, and loads when it is called.
 */
export function importsOf(name, text) {
  const found = [];
  const hasCalls = /\bimport\s*\(/.test(text);
  const add = (specifier, isType, isLazy = false) => {
    if (specifier !== undefined && ts.isStringLiteralLike(specifier))
      found.push({ specifier: specifier.text, isType, isLazy });
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, hasOnlyTypes(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false, true);
    // Only import() stands below the statements of a file.
    if (ts.isSourceFile(node) || hasCalls) ts.forEachChild(node, visit);
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
