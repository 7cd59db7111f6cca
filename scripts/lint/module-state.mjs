/** Calls and constructors that make something which is changed in place. */
const mutable = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'LRUCache']);
const buffers = new Set(['alloc', 'allocUnsafe', 'allocUnsafeSlow']);
/** Methods that change a collection. */
const changing = new Set([
  'set',
  'add',
  'delete',
  'clear',
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'fill',
  'write',
]);
/** What allows it, in a comment before the declaration; the measurement that asks for it follows. */
const ALLOWED = /\bModule state: \S/;

/** Whether an initial value can be changed in place. */
function isMutable(init) {
  if (init?.type === 'NewExpression') return mutable.has(init.callee.name) || /Array$|Buffer$/.test(init.callee.name);
  if (init?.type === 'CallExpression' && init.callee.type === 'MemberExpression') {
    const [size] = init.arguments;
    return init.callee.object.name === 'Buffer' && buffers.has(init.callee.property.name) && size?.value !== 0;
  }
  return init?.type === 'ArrayExpression' || init?.type === 'ObjectExpression';
}

/** Whether a reference changes the variable or what it holds. */
function changes(reference) {
  if (reference.isWrite() && !reference.init) return true;
  const { identifier } = reference;
  const access = identifier.parent;
  if (access.type !== 'MemberExpression' || access.object !== identifier) return false;
  const { parent } = access;
  if (parent.type === 'AssignmentExpression' && parent.left === access) return true;
  if (parent.type === 'UpdateExpression') return true;
  return parent.type === 'CallExpression' && parent.callee === access && changing.has(access.property.name);
}

/** Whether it stands at module level, not in a function. */
function isAtModuleLevel(node) {
  return node.parent.type === 'Program' || node.parent.type === 'ExportNamedDeclaration';
}

/** Whether a function changes it: what the module itself fills while it is loaded is a table. */
function isChangedLater(variable) {
  return variable.references.some(
    (reference) => changes(reference) && reference.from.variableScope.type === 'function',
  );
}

/**
 * A module keeps no state: what changes belongs to an object with an owner. A comment `Module state:` before it allows
 * it, and names the measurement that asks for it.
 */
export const moduleStateRule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { sourceCode } = context;
    return {
      VariableDeclaration(node) {
        if (!isAtModuleLevel(node)) return;
        const statement = node.parent.type === 'Program' ? node : node.parent;
        if (sourceCode.getCommentsBefore(statement).some(({ value }) => ALLOWED.test(value))) return;
        const isState = (variable) => {
          const { init } = variable.defs[0].node;
          if (node.kind === 'let') return true;
          if (init?.type === 'CallExpression' && isMutable(init)) return true;
          return isMutable(init) && isChangedLater(variable);
        };
        for (const variable of sourceCode.getDeclaredVariables(node)) {
          if (!isState(variable)) continue;
          const message = `${variable.name} is state of a module. Give it an owner, or say after "Module state:" what was measured.`;
          context.report({ node, message });
        }
      },
    };
  },
};
