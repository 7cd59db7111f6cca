import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The files that pages load, by name, with their media types. */
const files = {
  'console.css': 'text/css; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

export type AssetName = keyof typeof files;

/** A file that pages load. */
interface Asset {
  /** With a hash of the content, so that browsers may keep it for good. */
  readonly path: string;
  readonly type: string;
  readonly content: Buffer<ArrayBuffer>;
}

/** The style sheet, the script and the icon. Read once, when the console starts. */
export class Assets {
  readonly #byName: ReadonlyMap<AssetName, Asset>;
  readonly #byPath: ReadonlyMap<string, Asset>;

  /** Throws the system's error when a file of the program is missing. */
  constructor() {
    const assets = (Object.keys(files) as AssetName[]).map((name) => [name, readAsset(name)] as const);
    this.#byName = new Map(assets);
    this.#byPath = new Map(assets.map(([, asset]) => [asset.path, asset]));
  }

  /** Where a page finds it. */
  pathOf(name: AssetName): string {
    return this.#byName.get(name)?.path ?? '';
  }

  /** The file at a path; null where there is none. */
  find(path: string): Asset | null {
    return this.#byPath.get(path) ?? null;
  }
}

function readAsset(name: AssetName): Asset {
  const content = Buffer.from(readFileSync(new URL(`../assets/${name}`, import.meta.url)));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const [stem = '', ending = ''] = name.split('.');
  return { path: `/assets/${stem}.${hash}.${ending}`, type: files[name], content };
}
