import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules of WCAG 2.2 to level AA, and what axe calls good practice. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What axe finds wrong with a page as it is shown now, each with the elements; and that part of it is wider than the
 * window, which no rule of axe sees. What axe cannot decide by itself counts, too.
 */
export async function findAccessibilityFaults(page: Page): Promise<readonly string[]> {
  // The debugger's own evaluation: the content security policy of the page stays as it is.
  // Once for a page that is looked at twice.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  // Of what passes only the number is brought here.
  const run = `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations', 'incomplete'] })
    .then(({ violations, incomplete, passes }) => ({ violations, incomplete, passed: passes.length }))`;
  const { violations, incomplete, passed } = await page.evaluate<
    Pick<AxeResults, 'violations' | 'incomplete'> & { readonly passed: number }
  >(run);
  if (passed === 0) throw new Error('axe has looked at nothing');
  const faults = [...violations, ...incomplete.map(withoutDrawings)]
    .filter(({ nodes }) => nodes.length > 0)
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n${nodes.map(({ target, failureSummary }) => `  ${target.join(' ')} ${failureSummary ?? ''}`).join('\n')}`,
    );
  const tooWide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return tooWide > 0 ? [...faults, `the page is ${String(tooWide)} px wider than the window`] : faults;
}

/** axe sees no background in drawings. Their texts have the colours of other texts beside them. */
function withoutDrawings<T extends { readonly nodes: readonly { readonly html: string }[] }>(result: T): T {
  return { ...result, nodes: result.nodes.filter(({ html }) => !html.startsWith('<text ')) };
}
