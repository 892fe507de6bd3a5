/**
 * The commands and their options. A command's own code, and all it needs, is loaded when it runs.
 */

import { Command, CommanderError } from 'commander';
import { STRATEGIES } from '../runtime/explore/strategies/names.js';
import { UserError } from './errors.js';
import { addFaultOptions } from './faults.js';
import {
  baseSeed,
  breakPlace,
  collect,
  duration,
  ISOLATIONS,
  oneOf,
  portNumber,
  rate,
  rungName,
  titlePattern,
  trialSeed,
  wholeNumber,
  yesOrNo,
} from './values.js';
import type { CheckFlags } from './commands/check.js';
import type { CompileFlags } from './commands/compile.js';
import type { ConfirmFlags } from './commands/confirm.js';
import type { InitFlags } from './commands/init.js';
import type { MergeFlags } from './commands/merge.js';
import type { ReplayFlags } from './commands/replay.js';
import type { SimFlags } from './commands/sim.js';
import type { SweepFlags } from './commands/sweep.js';
import type { WatchFlags } from './commands/watch.js';
import type { WorkerFlags } from './commands/worker.js';
import { addOutput, REPORTERS } from './report/reporters.js';
import { parseShard } from './report/shard.js';
import { MODES } from './modes.js';
import { startSpare } from './sweep/spare.js';
import type { ViewOptions } from './trace/view.js';

/**
 * Runs a command line.
 * @param version of detsim
 * @returns the exit status
 * @throws UserError for what is wrong with the command line or the project
 */
export async function runProgram(argv: readonly string[], version: string): Promise<number> {
  let status = 0;
  const program = createProgram(version, (result) => (status = result));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw new UserError(usageMessage(error, argv[0]));
  }
}

function createProgram(version: string, finish: (status: number) => void): Command {
  const program = new Command('detsim')
    .description('Finds concurrency bugs in TypeScript and JavaScript, and reproduces them.')
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'explain a command')
    .helpCommand(false)
    .configureOutput({ writeErr: () => undefined })
    .exitOverride();
  addSweep(program, finish);
  addWatch(program, finish);
  addReport(program, finish);
  addMerge(program, finish);
  addWorker(program, finish);
  addReplay(program, finish);
  addConfirm(program, finish);
  addTrace(program, finish);
  addSim(program, finish);
  addCheck(program, finish, version);
  addCompile(program, finish);
  addInit(program, finish);
  addDoctor(program, finish);
  addLsp(program, version);
  return program;
}

function addSweep(program: Command, finish: (status: number) => void): void {
  const command = program
    .command('sweep')
    .description('run the tests under many seeds, minimize what fails, and say how to replay it')
    .argument('[files...]', 'spec files, folders or globs; those of the config without it')
    .option('--queue <url>', 'let `detsim worker`s run the trials: the address of a Redis')
    .option('--shard <i/n>', 'only the i-th of n parts of the test files', parseShard);
  addReporter(command);
  addCommon(addExploration(command)).action(async (files: string[], flags: SweepFlags) => {
    if (flags.queue === undefined) startSpare();
    const { sweepCommand } = await import('./commands/sweep.js');
    finish(await sweepCommand(files, flags));
  });
}

/** What `sweep` and `watch` have in common. */
function addExploration(command: Command): Command {
  return command
    .option('--trials <n>', 'trials for each spec file (2000)', wholeNumber('--trials', 1))
    .option('--seed <seed>', 'base seed: a number, or "random" (0)', baseSeed)
    .option(
      '--order <rung>',
      'highest rung to explore: native, node, stubs, any (any)',
      rungName('--order'),
    )
    .option('--fail-on <rung>', 'highest rung whose findings fail (stubs)', rungName('--fail-on'))
    .option(
      '--strategy <name>',
      `what proposes deviations: ${STRATEGIES.join(', ')} (portfolio)`,
      oneOf('--strategy', STRATEGIES),
    )
    .option('--novelty', 'explore until new shapes of schedules stop appearing')
    .option('--no-minimize', 'report failures as they were found')
    .option('--workers <n>', 'worker processes (one for each core)', wholeNumber('--workers', 1))
    .option(
      '--time-budget <time>',
      'stop exploring after this time, e.g. 30s or 5m',
      duration('--time-budget'),
    )
    .option('--coverage', 'list the awaits that were never overtaken, and other untested places');
}

function addWatch(program: Command, finish: (status: number) => void): void {
  const command = program
    .command('watch')
    .description('sweep, and after each edit sweep the test files that it affects')
    .argument('[files...]', 'spec files, folders or globs; those of the config without it');
  addCommon(addExploration(command)).action(async (files: string[], flags: WatchFlags) => {
    const { watchCommand } = await import('./commands/watch.js');
    finish(await watchCommand(files, flags));
  });
}

function addReporter(command: Command): Command {
  return command.option(
    '--reporter <name>',
    `${REPORTERS.join(', ')} (pretty); NAME:FILE writes it to a file; may be repeated`,
    addOutput,
  );
}

function addMerge(program: Command, finish: (status: number) => void): void {
  const command = program
    .command('merge')
    .description('put the JSON reports of shards together')
    .argument('<reports...>', 'what each shard wrote with --reporter=json:FILE');
  addReporter(command).action(async (files: string[], flags: MergeFlags) => {
    const { mergeCommand } = await import('./commands/merge.js');
    finish(mergeCommand(files, flags));
  });
}

function addReport(program: Command, finish: (status: number) => void): void {
  program
    .command('report')
    .description('write a page for the browser of the last sweep')
    .option('--out <file>', 'where to write it (.detsim/report.html); - is standard output')
    .allowExcessArguments(false)
    .action(async (flags: { out?: string }) => {
      const { reportCommand } = await import('./commands/report.js');
      finish(reportCommand(flags));
    });
}

function addWorker(program: Command, finish: (status: number) => void): void {
  program
    .command('worker')
    .description('take part in a sweep that another machine has put on a queue')
    .requiredOption('--queue <url>', 'the address of the Redis')
    .option('--workers <n>', 'worker processes (one for each core)', wholeNumber('--workers', 1))
    .allowExcessArguments(false)
    .action(async (flags: WorkerFlags) => {
      const { workerCommand } = await import('./commands/worker.js');
      finish(await workerCommand(flags));
    });
}

function addReplay(program: Command, finish: (status: number) => void): void {
  const command = program
    .command('replay')
    .description('run one trial again, show what it does, and prove that it does the same again')
    .argument('[file]', 'the spec file, where there is more than one')
    .option('--seed <seed>', 'a seed that a sweep printed', trialSeed)
    .option('--schedule <text>', 'a schedule that a sweep printed')
    .option('--trace <file>', 'a trace that a sweep has written')
    .option('--relocate', 'the code was edited since the trace: find its places again')
    .option('--inspect', 'run it once more, stopping in a debugger')
    .option(
      '--break <place>',
      'where: the number of a step, or file:line#n (first step of the test)',
      breakPlace,
    )
    .option(
      '--inspect-port <port>',
      'where the debugger listens; 0 is any free port (9229)',
      portNumber,
    );
  addCommon(command).action(async (file: string | undefined, flags: ReplayFlags) => {
    const { replayCommand } = await import('./commands/replay.js');
    finish(await replayCommand(file, flags));
  });
}

function addConfirm(program: Command, finish: (status: number) => void): void {
  const command = program
    .command('confirm')
    .description('make a finding on rung node happen on plain Node, with real timers and delays')
    .argument('[file]', 'the spec file, where there is more than one')
    .option('--schedule <text>', 'a schedule that a sweep printed')
    .option('--trace <file>', 'a trace that a sweep has written')
    .option('--seed <seed>', 'a seed that a sweep printed', trialSeed);
  addCommon(command).action(async (file: string | undefined, flags: ConfirmFlags) => {
    const { confirmCommand } = await import('./commands/confirm.js');
    finish(await confirmCommand(file, flags));
  });
}

function addTrace(program: Command, finish: (status: number) => void): void {
  const trace = program.command('trace').description('show a trace file that a sweep has written');
  trace
    .command('view')
    .description('the timeline of a run')
    .argument('<file>', 'a trace file')
    .option('--around <step>', 'only the events near this one', wholeNumber('--around', 1))
    .option('--task <name>', 'only tasks of this name')
    .option(
      '--limit <n>',
      'only the last n events, or the n nearest to --around; 0 is all',
      wholeNumber('--limit', 0),
    )
    .allowExcessArguments(false)
    .action(async (file: string, options: ViewOptions) => {
      finish((await import('./commands/trace.js')).viewCommand(file, options));
    });
  trace
    .command('diff')
    .description('what two runs of a test have in common, and where they part')
    .argument('<first>', 'a trace file')
    .argument('<second>', 'another one, for instance the minimized one')
    .option(
      '--limit <n>',
      'at most n lines on the order of steps; 0 is all (60)',
      wholeNumber('--limit', 0),
    )
    .allowExcessArguments(false)
    .action(async (first: string, second: string, options: { limit?: number }) => {
      finish((await import('./commands/trace.js')).diffCommand(first, second, options));
    });
  trace
    .command('stats')
    .description('the figures of a run: tasks, waits, jumps in virtual time')
    .argument('<file>', 'a trace file')
    .allowExcessArguments(false)
    .action(async (file: string) => {
      finish((await import('./commands/trace.js')).statsCommand(file));
    });
  trace
    .command('html')
    .description('one page to look at in a browser, without network')
    .argument('<file>', 'a trace file')
    .option('--out <file>', 'where to write it; - is standard output')
    .allowExcessArguments(false)
    .action(async (file: string, options: { out?: string }) => {
      finish((await import('./commands/trace.js')).htmlCommand(file, options));
    });
  trace
    .command('export')
    .description('Chrome trace-event JSON, for Perfetto')
    .argument('<file>', 'a trace file')
    .option('--out <file>', 'where to write it; - is standard output')
    .allowExcessArguments(false)
    .action(async (file: string, options: { out?: string }) => {
      finish((await import('./commands/trace.js')).exportCommand(file, options));
    });
}

function addSim(program: Command, finish: (status: number) => void): void {
  program
    .command('sim')
    .description('run an example written against the kernel, one line for each seed')
    .option('--mode <name>', `which: ${MODES.join(', ')}`, oneOf('--mode', MODES), MODES[0])
    .option('--seed <seed>', 'the first seed', trialSeed, 1)
    .option(
      '--trials <n>',
      'how many seeds (1); with --novelty the most runs (10000)',
      wholeNumber('--trials', 1),
    )
    .option('--nodes <n>', 'raft, read, membership: nodes (5)', wholeNumber('--nodes', 1))
    .option(
      '--drop <rate>',
      'raft, read, membership: rate of lost messages (0.1, 0, 0.05)',
      rate('--drop'),
    )
    .option('--torn <rate>', 'kv: rate of torn writes (0.3)', rate('--torn'))
    .option('--corrupt <rate>', 'kv: rate of corrupted writes (0.4)', rate('--corrupt'))
    .option('--checksums [boolean]', 'kv: check what is read (true)', yesOrNo('--checksums'))
    .option('--novelty', 'workerpool, lowdiversity: other orders, until new ones stop appearing')
    .option('--swarm', 'draw the faults of each run from its seed, and print them')
    .allowExcessArguments(false)
    .action(async (flags: SimFlags) => {
      const { simCommand } = await import('./commands/sim.js');
      finish(await simCommand(flags));
    });
}

function addCheck(program: Command, finish: (status: number) => void, version: string): void {
  program
    .command('check')
    .description('show every construct that a simulation cannot control, and what to do about it')
    .argument('[files...]', 'files, folders or globs; the whole project without it')
    .option(
      '--format <name>',
      'pretty, json, sarif or github (pretty)',
      oneOf('--format', ['pretty', 'json', 'sarif', 'github'] as const),
      'pretty',
    )
    .option('--fix', 'apply the fixes that are safe')
    .option(
      '--max-warnings <n>',
      'how many warnings are no failure',
      wholeNumber('--max-warnings', 0),
    )
    .option('--baseline <file>', 'report only what this file does not hold')
    .option('--update-baseline', 'write the baseline anew with all that is found')
    .action(async (files: string[], flags: CheckFlags) => {
      const { checkCommand } = await import('./commands/check.js');
      finish(checkCommand(files, flags, version));
    });
}

function addCompile(program: Command, finish: (status: number) => void): void {
  program
    .command('compile')
    .description('compile the project to the overlay, and check its types')
    .option('--print-overlay', 'list each file with the file that stands for it')
    .option('--no-check', 'do not check types')
    .allowExcessArguments(false)
    .action(async (flags: CompileFlags) => {
      const { compileCommand } = await import('./commands/compile.js');
      finish(await compileCommand(flags));
    });
}

function addInit(program: Command, finish: (status: number) => void): void {
  program
    .command('init')
    .description('add a config file, the editor plugin and a .gitignore line to this project')
    .option('--yes', 'make the changes without asking')
    .allowExcessArguments(false)
    .action(async (flags: InitFlags) => {
      const { initCommand } = await import('./commands/init.js');
      finish(await initCommand(flags));
    });
}

function addDoctor(program: Command, finish: (status: number) => void): void {
  program
    .command('doctor')
    .description('say what is not in order in this project, and how to mend it')
    .allowExcessArguments(false)
    .action(async () => {
      const { doctorCommand } = await import('./commands/doctor.js');
      finish(doctorCommand());
    });
}

function addLsp(program: Command, version: string): void {
  program
    .command('lsp')
    .description('serve an editor with the language server protocol on standard input and output')
    .option('--stdio', 'accepted, since editors pass it: there is no other way')
    .allowExcessArguments(false)
    .action(async () => {
      const { lspCommand } = await import('./commands/lsp.js');
      await lspCommand(version);
    });
}

/** It is for the test runner to read; what is wrong with it is said at once. */
function checkedPattern(text: string): string {
  titlePattern(text);
  return text;
}

function addCommon(command: Command): Command {
  return addFaultOptions(command)
    .option('--grep <pattern>', 'only tests whose full title matches', checkedPattern)
    .option('--instrument <package>', 'give a package yield points; may be repeated', collect)
    .option(
      '--isolate <level>',
      `what is fresh: ${ISOLATIONS.join(', ')} (modules)`,
      oneOf('--isolate', ISOLATIONS),
    )
    .option('--max-stall <time>', 'how late the event loop may be (10ms)', duration('--max-stall'))
    .option('--no-check', 'do not check types');
}

/** Commander's message as a paragraph of ours. */
function usageMessage(error: CommanderError, command: string | undefined): string {
  if (error.code === 'commander.help' && command === 'trace') {
    return (
      'Say what to do with the trace: one of view, diff, stats, html and export. ' +
      'See `detsim trace --help`.'
    );
  }
  if (error.code === 'commander.help') {
    return 'No command was given. Try `detsim sweep` in your project, or `detsim --help`.';
  }
  const [first, ...rest] = error.message.replace(/^error: /, '').split('\n');
  const sentence = first.charAt(0).toUpperCase() + first.slice(1);
  const hint = rest.join(' ').replace(/^\((.*)\)$/, '$1');
  const more = hint === '' ? 'See `detsim --help` for what there is.' : hint;
  return `${sentence.replace(/[.]?$/, '.')} ${more}`;
}
