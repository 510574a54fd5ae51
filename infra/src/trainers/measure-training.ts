import path from 'node:path'
import { runProgram } from '../processes/run-program.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { whyNoPython } from '../test/why-no-python.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import { installTrainers, quietThreads, trainersFolder } from './install-trainers.ts'

interface Phase {
  readonly what: string
  /** Null where another process did the work. */
  readonly cpu_seconds: number | null
  readonly wall_seconds: number
  readonly result: string
}

const timeoutMs = 20 * 60_000

/**
 * Measures what training and serving a model of 842,112 weights take on this machine, and prints a table. The machine should
 * do nothing else.
 *
 * @throws ReadableError where no Python can be had, or a phase fails
 */
export async function measureTraining(terminal: Terminal, signal: AbortSignal): Promise<void> {
  await withTempFolder(async (tempFolder) => {
    const missing = await whyNoPython({ signal, tempFolder })
    if (missing !== null) throw new ReadableError(missing)
    const bin = await installTrainers(terminal)
    const phases: Phase[] = []
    let pending = ''
    const { ok, output } = await runProgram({
      command: path.join(bin, 'python'),
      args: [path.join(trainersFolder, 'tests/measure_training.py'), tempFolder],
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
    for (const line of phaseTable(phases)) terminal.line(line)
  })
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
