/** A command of a `console` fence, and what the document says that it prints. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

/** The commands of a `console` fence in their order: a line that begins with `$ ` and what follows it. */
export function readConsole(fence: string): readonly ShownCommand[] {
  const shown: { command: string; output: string }[] = [];
  for (const line of fence.split('\n').slice(0, -1)) {
    const last = shown.at(-1);
    if (line.startsWith('$ ')) shown.push({ command: line.slice('$ '.length), output: '' });
    else if (last?.command.endsWith('\\') === true && last.output === '') last.command += `\n${line}`;
    else if (last !== undefined) last.output += `${line}\n`;
  }
  return shown;
}
