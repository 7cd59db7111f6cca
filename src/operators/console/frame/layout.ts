import { html } from 'hono/html';
import type { Operator, Permission } from '../../../model/operator.ts';
import type { AssetName } from './assets.ts';
import type { Html } from './html.ts';
import type { Shown } from './page.ts';
import { searchField } from './search-field.ts';
import { mayUse } from './rights.ts';

/** An entry of the navigation. */
export interface MenuEntry {
  readonly path: string;
  readonly text: string;
  readonly needs: Permission;
}

/** What is around every page. */
export interface Frame {
  readonly pathOf: (asset: AssetName) => string;
  readonly menu: readonly MenuEntry[];
  /** Who is signed in; null on pages that anyone gets. */
  readonly session: { readonly operator: Operator; readonly csrfToken: string } | null;
  /** What was searched for last, on its page; empty elsewhere. */
  readonly search: string;
  /** The path that is shown. */
  readonly path: string;
  /** What was just done; null for nothing. */
  readonly notice: string | null;
}

/** A whole document. It loads nothing but the console's own files. */
export function layout({ title, body, trail = [] }: Shown, frame: Frame): Html {
  const { pathOf, session, notice } = frame;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - Postern</title>
<link rel="icon" type="image/svg+xml" href="${pathOf('icon.svg')}">
<link rel="stylesheet" href="${pathOf('console.css')}">
<script src="${pathOf('console.js')}" defer></script>
</head>
<body>
<a class="skip-link" href="#content">Skip to the content</a>
<header class="page-header">
<a class="brand" href="/">Postern</a>
${session === null ? null : navigation(frame, session.operator, trail[0]?.href ?? frame.path)}
${session === null ? null : searchField(frame.search)}
${session === null ? null : account(session)}
</header>
<main id="content" tabindex="-1">
${trail.length === 0 ? null : breadcrumbs(trail, title)}
${notice === null ? null : html`<p class="notice" role="status">${notice}</p>`}
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}

/**
 * `path` is the page, or the one that its trail begins with. Where the window is narrow, the menu is behind one button;
 * browsers that cannot unfold it by style alone have the button in wide windows, too.
 */
function navigation(frame: Frame, operator: Operator, path: string): Html {
  const entries = frame.menu
    .filter(({ needs }) => mayUse(operator, needs))
    .map(({ path: href, text }) => {
      const here = path !== href ? null : html`aria-current="${frame.path === href ? 'page' : 'true'}"`;
      return html`<li><a href="${href}" ${here}>${text}</a></li>`;
    });
  return html`<nav class="main-menu" aria-label="Main"><details><summary>Menu</summary><ul>${entries}</ul></details></nav>`;
}

function account({ operator, csrfToken }: NonNullable<Frame['session']>): Html {
  return html`<div class="account">
<span class="account-name">${operator.name ?? operator.id} <span class="muted">(${operator.role})</span></span>
<form method="post" action="/sign-out"><input type="hidden" name="csrf" value="${csrfToken}"><button
 type="submit" class="quiet">Sign out</button></form>
</div>`;
}

function breadcrumbs(trail: NonNullable<Shown['trail']>, title: string): Html {
  const above = trail.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`);
  return html`<nav class="breadcrumbs" aria-label="Breadcrumb"><ol>${above}<li aria-current="page">${title}</li></ol></nav>`;
}
