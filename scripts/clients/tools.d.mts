import type { Machine } from './release.mjs';

/** What to do where a tool is missing. */
export declare function installAdvice(tool: string): string;

/** This machine, for releases of the project at `root`. Programs run with the least priority, one at a time. */
export declare function thisMachine(root: string): Machine;

/** Installs what clients/tools names, where it is not there yet. What fails is missing later, and is told then. */
export declare function installTools(root: string): void;
