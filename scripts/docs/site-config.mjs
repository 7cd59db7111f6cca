// VitePress's configuration. It asks for nothing outside of the site: no fonts, no service for searching.
import { anchorOf } from './links.mjs';

/** The configuration for a sidebar and the path that the site will have. */
export function siteConfig({ sidebar, base, out }) {
  return {
    title: 'Postern',
    description: 'Authentication gateway for partner APIs behind Envoy',
    lang: 'en',
    base,
    outDir: out,
    lastUpdated: false,
    markdown: { languageAlias: { 'rust,no_run': 'rust' }, anchor: { slugify: anchorOf }, config: keepBraces },
    vite: { logLevel: 'warn', build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 5000 } },
    themeConfig: {
      sidebar,
      outline: [2, 3],
      search: { provider: 'local' },
    },
  };
}

/** VitePress makes Vue templates of pages, and those take two braces for an expression. */
function keepBraces(md) {
  for (const rule of ['text', 'code_inline']) {
    const render = md.renderer.rules[rule];
    md.renderer.rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
  }
}
