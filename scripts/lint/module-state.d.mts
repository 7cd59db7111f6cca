import type { Rule } from 'eslint';

export declare const moduleStateRule: Rule.RuleModule;
