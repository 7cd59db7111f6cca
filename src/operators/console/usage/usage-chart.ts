import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import { requestsOf, type UsageCounts } from './shown-usage.ts';

/** In units of the drawing, which grows and shrinks with the window. */
const WIDTH = 720;
const HEIGHT = 240;
const LEFT = 56;
/** Half of a label. */
const RIGHT = 18;
const BOTTOM = 24;
const TOP = 8;
const MAX_LABELS = 8;
const MAX_BAR = 48;

/** From the bottom of a bar to its top. The table beneath has the same words. */
const parts = ['allowed', 'limited', 'refused'] as const;

/** One bar. */
export interface Bar extends UsageCounts {
  /** Below it, where there is room. */
  readonly label: string;
}

/** Requests over time as bars. `title` says what the picture shows; the same numbers belong into a table beside it. */
export function usageChart(title: string, bars: readonly Bar[]): Html {
  const top = roundUp(Math.max(1, ...bars.map(requestsOf)));
  const height = HEIGHT - BOTTOM - TOP;
  const yOf = (count: number): number => TOP + height - (count / top) * height;
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, bars.length);
  const barWidth = Math.min(MAX_BAR, step * 0.8);
  const lines = [0, top / 2, top].map((count) => gridLine(count, yOf(count)));
  const everyNth = Math.ceil(bars.length / MAX_LABELS);
  const drawn = bars.map((bar, index) => {
    const centre = LEFT + step * (index + 0.5);
    const label =
      index % everyNth === 0
        ? html`<text x="${round(centre)}" y="${HEIGHT - 6}" text-anchor="middle">${bar.label}</text>`
        : null;
    return html`${stack(bar, { x: centre - barWidth / 2, width: barWidth, yOf })}${label}`;
  });
  return html`<figure class="chart">
<div class="chart-frame" role="region" aria-label="Chart" tabindex="0">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${lines}${drawn}</svg>
</div>
<figcaption>${title}. ${parts.map((part) => html`<span class="key"><span class="${part}"></span>${part}</span>`)}</figcaption>
</figure>`;
}

interface Column {
  readonly x: number;
  readonly width: number;
  readonly yOf: (count: number) => number;
}

function stack(bar: Bar, { x, width, yOf }: Column): Html {
  let below = 0;
  const rectangles = parts.map((part) => {
    const from = below;
    below += bar[part];
    if (bar[part] === 0) return null;
    const y = yOf(below);
    const height = yOf(from) - y;
    return html`<rect class="${part}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"></rect>`;
  });
  const counts = parts.map((part) => `${String(bar[part])} ${part}`).join(', ');
  return html`<g><title>${bar.label}: ${counts}</title>${rectangles}</g>`;
}

function gridLine(count: number, y: number): Html {
  return html`<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${round(y)}" y2="${round(y)}"></line>
<text x="${LEFT - 6}" y="${round(y + 4)}" text-anchor="end">${short(count)}</text>`;
}

/** The next of 2, 4, 6, 8, 10, 12, 16, 20, 30, 40, 60, 80, 100, 120, …: half of it is a whole number, too. */
function roundUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count));
  const tops = [10, 12, 16, 20, 30, 40, 60, 80, 100].map((tenths) => (tenths * power) / 10);
  return tops.find((each) => each >= count && each % 2 === 0) ?? count;
}

const units = [
  [1_000_000_000, 'G'],
  [1_000_000, 'M'],
  [1000, 'k'],
] as const;

function short(count: number): string {
  const [size, unit] = units.find(([each]) => count >= each) ?? [1, ''];
  return `${String(count / size)}${unit}`;
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
