import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';

/** In units of the drawing. */
const STEP = 5;
const BAR = 4;
const HEIGHT = 24;

/**
 * Numbers over time as small bars in a table, the oldest first; the highest takes the whole height. Its text has every
 * number. `what` says what they are, such as `Refused by hour`.
 */
export function sparkline(what: string, values: readonly number[]): Html {
  const top = Math.max(1, ...values);
  const bars = values.map((value, index) => {
    // What was counted at all is seen.
    const height = value === 0 ? 0 : Math.max(1, Math.round((value / top) * HEIGHT));
    return height === 0
      ? null
      : html`<rect x="${index * STEP}" y="${HEIGHT - height}" width="${BAR}" height="${height}"></rect>`;
  });
  const width = Math.max(1, values.length) * STEP;
  const text = `${what}, the oldest first: ${values.map((value) => value.toLocaleString('en')).join('; ')}`;
  return html`<svg class="sparkline" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" role="img"
 aria-label="${text}"><title>${text}</title>${bars}</svg>`;
}
