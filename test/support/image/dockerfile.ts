import { readDocument } from '../docs/documents.ts';

/** One instruction of a Dockerfile, its continued lines joined. */
export interface Instruction {
  /** In capitals: `COPY`. */
  readonly keyword: string;
  /** What follows, as written. */
  readonly text: string;
}

/** A stage: `FROM base AS name` and what comes after it. */
export interface Stage {
  readonly base: string;
  /** Null for one that no other copies from. */
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

/** The committed Dockerfile. */
export interface Dockerfile {
  /** Default values of the arguments before the first stage, by name. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly stages: readonly Stage[];
}

/** What one `COPY` does. Sources of another stage are absolute paths there, all others from the root of the project. */
export interface Copy {
  /** Name of the stage; null for the project. */
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly destination: string;
  /** `uid:gid`; root without it. */
  readonly owner: string | null;
}

/** Reads the committed Dockerfile. */
export function readDockerfile(): Dockerfile {
  const all = parseInstructions(readDocument('Dockerfile'));
  const first = all.findIndex(({ keyword }) => keyword === 'FROM');
  const stages: { base: string; name: string | null; instructions: Instruction[] }[] = [];
  for (const instruction of all.slice(first)) {
    if (instruction.keyword === 'FROM') {
      const [base = '', , name = null] = instruction.text.split(/\s+/);
      stages.push({ base, name, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push(instruction);
    }
  }
  return {
    arguments: Object.fromEntries(
      all.slice(0, first).map(({ text }) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
    ),
    stages,
  };
}

function parseInstructions(text: string): readonly Instruction[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const joined = lines.join('\n').replaceAll(/\\\n\s*/g, '');
  return joined.split('\n').map((line) => {
    const [, keyword = '', rest = ''] = /^([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
    if (keyword === '') throw new Error(`not an instruction: ${line}`);
    return { keyword: keyword.toUpperCase(), text: rest };
  });
}

/** The copies of a stage, in order. */
export function copiesOf(stage: Stage): readonly Copy[] {
  return stage.instructions
    .filter(({ keyword }) => keyword === 'COPY')
    .map(({ text }) => {
      const words = text.split(/\s+/);
      const flag = (name: string): string | null =>
        words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? null;
      const paths = words.filter((word) => !word.startsWith('--'));
      return {
        from: flag('from'),
        sources: paths.slice(0, -1),
        destination: paths.at(-1) ?? '',
        owner: flag('chown'),
      };
    });
}

/** The last stage: what the image is. */
export function runStage(dockerfile: Dockerfile): Stage {
  const stage = dockerfile.stages.at(-1);
  if (stage === undefined) throw new Error('the Dockerfile has no stage');
  return stage;
}

/** Whether .dockerignore keeps a path of the project from the builder. It knows `*`, paths, and `!` before them. */
export function isIgnored(path: string): boolean {
  const rules = readDocument('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  let ignored = false;
  for (const rule of rules) {
    const pattern = rule.replace(/^!/, '');
    if (pattern !== '*' && /[*?[\]]/.test(pattern)) throw new Error(`${rule}: this test does not know such a pattern`);
    if (pattern === '*' || path === pattern || path.startsWith(`${pattern}/`)) ignored = !rule.startsWith('!');
  }
  return ignored;
}
