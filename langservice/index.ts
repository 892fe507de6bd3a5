/**
 * `detsim/langservice`: the plugin for tsserver, named in `compilerOptions.plugins`.
 *
 *     { "name": "detsim/langservice", "transform": "detsim/transformer" }
 *
 * tsserver may load a plugin twice into one project: when two entries name it, and each time it
 * reads the tsconfig again. The second time the first one's work is kept.
 */

import type ts from 'typescript';
import { decorate, isDecorated } from './decorate.js';
import { ownPart } from './own-part.js';
import { registerCodes } from './supported-codes.js';

function plugin({ typescript }: { readonly typescript: typeof ts }): ts.server.PluginModule {
  return {
    create({ languageService, project }) {
      if (isDecorated(languageService)) return languageService;
      const log = (message: string): void => project.projectService.logger.info(message);
      ownPart(typescript, log, 'registering its codes', () => registerCodes(typescript));
      return decorate(typescript, languageService, log);
    },
  };
}

export = plugin;
