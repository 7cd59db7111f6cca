import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** What a command printed. */
export interface Printed {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The packed package, installed in an empty folder as a partner would. */
export class Installed implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'postern-explain-'));

  constructor() {
    const packed = readdirSync(dist).filter((name) => name.endsWith('.tgz'));
    if (packed.length !== 1) throw new Error(`./run build makes one package, not ${String(packed.length)}`);
    writeFileSync(join(this.folder, 'package.json'), '{ "private": true }\n');
    const made = this.#spawn('npm', ['install', '--offline', '--no-audit', '--no-fund', join(dist, packed[0] ?? '')]);
    if (made.code !== 0) throw new Error(`npm install failed: ${made.err}`);
  }

  /** Runs `npx --no-install postern-explain` there. */
  runByNpx(args: readonly string[]): Printed {
    return this.#spawn('npx', ['--no-install', 'postern-explain', ...args]);
  }

  /** Runs what npx would, which takes a second less, with only these variables besides what a program needs. */
  run(args: readonly string[], input = '', variables: Readonly<Record<string, string>> = {}): Printed {
    return this.#spawn(join(this.folder, 'node_modules/.bin/postern-explain'), args, input, variables);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(
    program: string,
    args: readonly string[],
    input = '',
    variables: Readonly<Record<string, string>> = {},
  ): Printed {
    const { PATH = '', HOME = '' } = process.env;
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: this.folder,
      env: { PATH, HOME, npm_config_loglevel: 'error', ...variables },
      input,
      encoding: 'utf8',
    });
    return { code: status, out: stdout, err: stderr };
  }
}
