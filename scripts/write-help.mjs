// The help of every command, which `postern` prints without loading the command.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { builtHelpFolder } from '../dist/cli/built-help.js';
import { renderHelp } from '../dist/cli/render-help.js';

rmSync(builtHelpFolder, { recursive: true, force: true });
mkdirSync(builtHelpFolder);
for (const [file, text] of await renderHelp()) writeFileSync(new URL(file, builtHelpFolder), text);
