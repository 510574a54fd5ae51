import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { runProgram } from '../processes/run-program.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { whyNoPython } from '../test/why-no-python.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import { installSmallModel } from './install-small-model.ts'
import { installTrainers, quietThreads, trainersFolder } from './install-trainers.ts'

interface Phase {
  readonly what: string
  /** Null where another process did the work. */
  readonly cpu_seconds: number | null
  readonly wall_seconds: number
  readonly result: string
}

const timeoutMs = 60 * 60_000

/**
 * Measures what training and serving take on this machine, for a model of 842,112 weights and for SmolLM2 with 135 million,
 * and prints a table of each. The machine should do nothing else.
 *
 * @throws ReadableError where no Python can be had, or a phase fails
 */
export async function measureTraining(terminal: Terminal, signal: AbortSignal): Promise<void> {
  await withTempFolder(async (tempFolder) => {
    const missing = await whyNoPython({ signal, tempFolder })
    if (missing !== null) throw new ReadableError(missing)
    const bin = await installTrainers(terminal)
    const smallModel = await installSmallModel(terminal)
    for (const args of [['measure_training.py'], ['measure_small_model.py', smallModel]]) {
      const folder = mkdtempSync(path.join(tempFolder, 'measured-'))
      const phases = await measurePhases(args, { bin, folder, terminal, signal })
      for (const line of phaseTable(phases)) terminal.line(line)
    }
  })
}

interface Measuring {
  /** The folder with Python. */
  readonly bin: string
  /** Empty, for what is made on the way. */
  readonly folder: string
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** Runs a program of `trainers/tests`, which prints a line for each phase. */
async function measurePhases(
  [program = '', ...args]: readonly string[],
  { bin, folder, terminal, signal }: Measuring,
): Promise<readonly Phase[]> {
  const phases: Phase[] = []
  let pending = ''
  const { ok, output } = await runProgram({
    command: path.join(bin, 'python'),
    args: [path.join(trainersFolder, 'tests', program), folder, ...args],
    env: {
      ...quietThreads,
      HF_HUB_OFFLINE: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: path.join(trainersFolder, 'src'),
      PYTHONWARNINGS: 'ignore',
      RATCHET_NODE: process.execPath,
    },
    signal,
    timeoutMs,
    onOutput(text) {
      const lines = (pending + text).split('\n')
      pending = lines.pop() ?? ''
      for (const line of lines.filter((each) => each.startsWith('{"what"'))) {
        const phase = JSON.parse(line) as Phase
        phases.push(phase)
        terminal.line(`  ${phase.what}: ${phase.wall_seconds.toFixed(1)} s`)
      }
    },
  })
  if (!ok) throw new ReadableError(`A phase failed:\n${output.split('\n').slice(-30).join('\n')}`)
  return phases
}

/** The rows of a Markdown table. */
export function phaseTable(phases: readonly Phase[]): readonly string[] {
  const cpu = ({ cpu_seconds: seconds }: Phase) => (seconds === null ? '–' : seconds.toFixed(1))
  const wall = ({ wall_seconds: seconds }: Phase) =>
    seconds < 1 ? `${(seconds * 1_000).toFixed(0)} ms` : `${seconds.toFixed(1)} s`
  return [
    '| phase | CPU s | time | result |',
    '|---|---|---|---|',
    ...phases.map((phase) => `| ${phase.what} | ${cpu(phase)} | ${wall(phase)} | ${phase.result || '–'} |`),
  ]
}
