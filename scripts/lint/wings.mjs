import { dirname, relative, resolve } from 'node:path';
import { wings } from '../rooms/wings.mjs';

/** The files that may know a kind of store. All else takes the ports of `check/store/` and `resources/changes/`. */
const kindsOfStores = ['stores/file/', 'stores/mongodb/'];
const mayKnowStores = ['gateway/store.ts', 'cli/store/open-store.ts'];

const src = resolve(import.meta.dirname, '../../src');

/** Imports go down the list of wings, and only composition roots know the kinds of stores. */
export const wingRule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const path = relative(src, context.filename);
    const wing = path.split('/')[0];
    const check = (node, target) => {
      if (typeof target !== 'string' || !target.startsWith('.')) return;
      const to = relative(src, resolve(dirname(context.filename), target));
      const other = to.split('/')[0];
      if (other === '..') return;
      if (!wings.includes(other)) context.report({ node, message: `${other} is no wing (scripts/rooms/wings.mjs).` });
      if (wings.indexOf(other) > wings.indexOf(wing)) {
        context.report({ node, message: `${wing} stands below ${other} (scripts/rooms/wings.mjs).` });
      }
      const kind = kindsOfStores.find((folder) => to.startsWith(folder));
      if (kind !== undefined && !path.startsWith(kind) && !mayKnowStores.includes(path)) {
        context.report({
          node,
          message: `${path} takes a port of check/store/ or resources/changes/ instead of ${kind}.`,
        });
      }
    };
    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      ImportExpression: (node) => check(node, node.source.value),
    };
  },
};
