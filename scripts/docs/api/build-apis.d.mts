import type { Machine } from '../../clients/release.mjs';
import type { Api } from './packages.mjs';

/** Where the site has them. */
export declare const API_FOLDER: string;

/** What became of one client's documentation; `missing` is null where it was written. */
export interface Outcome extends Pick<Api, 'client' | 'title' | 'page'> {
  readonly missing: string | null;
}

/**
 * Writes the documentation of one client into `out`: what is missing for it, as a sentence, or null.
 *
 * @throws DocsFailure when a tool fails, or a page lacks what it must hold
 */
export declare function buildApi(
  api: Api,
  to: { readonly root: string; readonly out: string; readonly version: string; readonly machine: Machine },
): Promise<string | null>;

/** The page that leads to all of them, in Markdown. */
export declare function apiPage(outcomes: readonly Outcome[]): string;
