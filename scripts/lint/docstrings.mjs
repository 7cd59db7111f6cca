/** What an export statement makes known: the declaration, with its name. */
function declared(statement) {
  const { declaration } = statement;
  if (declaration === null || declaration === undefined) return [];
  if (declaration.type === 'VariableDeclaration') return declaration.declarations.map(({ id }) => id.name ?? 'it');
  return [declaration.id?.name ?? 'it'];
}

/** The name of the table that a type is made of, as in `(typeof limitUnits)[number]`; null for other types. */
function tableOf(type) {
  if (type?.type === 'TSTypeQuery') return type.exprName.name;
  if (type?.type === 'TSIndexedAccessType') return tableOf(type.objectType);
  if (type?.type === 'TSTypeOperator') return tableOf(type.typeAnnotation);
  return null;
}

/**
 * Every export has a docstring: a `/** … *\/` right before it. Overloads share that of the first, and the members of a
 * table share that of the table.
 */
export const docstringRule = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const { sourceCode } = context;
    let documented = new Set();
    return {
      Program: () => {
        documented = new Set();
      },
      ExportNamedDeclaration(node) {
        const names = declared(node);
        if (names.length === 0 || tableOf(node.declaration.typeAnnotation) !== null) return;
        const isDocstring = ({ type, value }) => type === 'Block' && value.startsWith('*');
        if (sourceCode.getCommentsBefore(node).some(isDocstring)) {
          for (const name of names) documented.add(name);
          return;
        }
        const lacking = names.find((name) => !documented.has(name));
        if (lacking === undefined) return;
        const message = `${lacking} is exported without a docstring: contract, units, refusals or errors, source.`;
        context.report({ node, message });
      },
    };
  },
};
