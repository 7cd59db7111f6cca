// Which licences a runtime dependency may have.
import parseExpression from 'spdx-expression-parse';

/**
 * SPDX identifiers of licences that ask for nothing but to keep their text and notices, which the image and the package
 * do. Another one is a decision of the project: add it here with the reason in the commit.
 */
export const allowedLicenses = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'PSF-2.0',
];

/** Whether an SPDX expression can be followed with allowed licences only; null and nonsense cannot. */
export function isAllowed(expression) {
  if (expression === null) return false;
  let tree;
  try {
    tree = parseExpression(expression);
  } catch {
    return false; // no SPDX expression, so its terms are unknown
  }
  return holds(tree);
}

function holds(tree) {
  if (tree.conjunction === 'and') return holds(tree.left) && holds(tree.right);
  if (tree.conjunction === 'or') return holds(tree.left) || holds(tree.right);
  return tree.exception === undefined && tree.plus !== true && allowedLicenses.includes(tree.license);
}

/** One sentence for each package whose licence is not allowed. */
export function findForbidden(packages) {
  return packages
    .filter(({ license }) => !isAllowed(license))
    .map(({ name, version, license }) => `${name} ${version}: ${license ?? 'says nothing about its licence'}`);
}
