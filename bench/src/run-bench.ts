import { ReadableError } from '@ratchet/infra/terminal/readable-error'
import type { Terminal } from '@ratchet/infra/terminal/terminal'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { fromHere } from './from-here.ts'
import { cpuIsReadable } from './measure/cpu-clock.ts'
import { measureFreshMemory, measureIdle, type TargetFigures } from './measure/measure-idle.ts'
import { failedFigure, type LoadStep, type MeasureOptions, steps, warmUp } from './measure/measure-target.ts'
import type { Sample } from './measure/sample.ts'
import { shuffled } from './measure/shuffled.ts'
import type { Figures } from './measure/watch-cpu.ts'
import type { BenchOptions, StepId } from './options.ts'
import { type Plan, planOf } from './plan.ts'
import { describeSamples } from './report/describe-samples.ts'
import { format, type Report } from './report/render-report.ts'
import type { ProcessGroup } from './targets/process-group.ts'
import { startTargets } from './targets/start-targets.ts'
import type { Target } from './targets/target.ts'

export interface BenchRun {
  readonly options: BenchOptions
  readonly terminal: Terminal
  readonly group: ProcessGroup
  /** Folder for the files of the targets. */
  readonly folder: string
  readonly hasWrk: boolean
  /** Core on which the targets run; null when they are not pinned. */
  readonly targetCore: string | null
}

export type Measured = Pick<Report, 'rounds' | 'targets' | 'samples' | 'notes'>

/** Seed of the order of the targets, which is shuffled for each step of each round and is equal in all runs. */
const seed = 20_260_131

/** Steps in which "added" is a difference to the upstream, so there is nothing to measure at the upstream itself. */
const againstDirect: ReadonlySet<StepId> = new Set(['latency', 'ttfb'])

interface Measurement {
  readonly run: BenchRun
  readonly plan: Plan
  readonly targets: readonly Target[]
  /** Is called with remarks for the reader of the figures. */
  readonly note: (text: string) => void
}

/** Starts and warms up all targets, measures them in rounds, and returns the values. */
export async function runBench(run: BenchRun): Promise<Measured> {
  const { options, terminal } = run
  const plan = planOf(options)
  const notes: string[] = []
  const note = (text: string) => {
    notes.push(text)
    terminal.line(`▸ ${text}`)
  }
  const profile = options.profile === undefined ? {} : { profile: fromHere(options.profile) }
  const started = await startTargets({ ...run, ...profile, requested: options.targets, note })
  const fresh = await measureFresh({ run, plan, targets: started, note })
  await warmUpAll({ run, plan, targets: started, note })
  const samples = [...fresh, ...(await measureRounds({ run, plan, targets: started, note }))]
  const fleet = started.find(({ id }) => id === 'fleet')
  if (fleet?.describeWork !== undefined) notes.push(...(await fleet.describeWork()))
  if (!cpuIsReadable) notes.push('CPU and memory are not available on this system (no /proc).')
  if (!run.hasWrk)
    notes.push('wrk was not there: the most requests per second of plain proxies may be those of our own generator.')
  notes.push(...describeSamples(samples, Object.keys(fleet?.processes ?? {})))
  return { rounds: options.rounds, targets: started.map(({ id }) => id), samples, notes }
}

async function measureFresh({ run, plan, targets }: Measurement): Promise<Sample[]> {
  if (!cpuIsReadable || !run.options.steps.includes('idle')) return []
  const measured = await run.terminal.step('memory after the start', () => measureFreshMemory(targets, plan))
  return measured.flatMap((each) => samplesOf(each, 1))
}

async function warmUpAll(measurement: Measurement): Promise<void> {
  const { run, plan, targets } = measurement
  for (const target of targets) {
    const work = () => run.terminal.step(`warming up ${target.title}`, () => warmUp(target, plan))
    await runUnlessOtherFails(measurement, target, work)
  }
}

async function measureRounds(measurement: Measurement): Promise<Sample[]> {
  const { run, targets } = measurement
  const random = seededRandom(seed)
  const samples: Sample[] = []
  for (let round = 1; round <= run.options.rounds; round += 1) {
    for (const step of run.options.steps) {
      if (step === 'idle') {
        samples.push(...(await measureIdleStep(measurement, round)))
        continue
      }
      const measured = targets.filter(({ id }) => id !== 'direct' || !againstDirect.has(step))
      for (const target of shuffled(measured, random)) {
        await runUnlessOtherFails(measurement, target, async () => {
          const figures = await measureStep({ ...measurement, target, step, round })
          samples.push(...samplesOf({ target, figures }, round))
        })
      }
    }
  }
  return samples
}

async function measureIdleStep({ run, plan, targets }: Measurement, round: number): Promise<Sample[]> {
  if (!cpuIsReadable) return []
  const title = `round ${round} of ${run.options.rounds}, idle, all targets`
  const measured = await run.terminal.step(title, () => measureIdle(targets, plan))
  return measured.flatMap((each) => samplesOf(each, round))
}

interface StepOfRound extends Measurement {
  readonly target: Target
  readonly step: LoadStep
  readonly round: number
}

function measureStep({ run, plan, targets, target, step, round }: StepOfRound): Promise<Figures> {
  const { options, terminal } = run
  const direct = targets.find(({ id }) => id === 'direct') ?? target
  const measure: MeasureOptions = { ...run, target, direct, plan, rate: options.rate, seed: seed + round }
  const title = `round ${round} of ${options.rounds}, ${step}, ${target.title}`
  return terminal.step(title, () => steps[step](measure), describeFigures)
}

/** A failure of another product is noted; a failure of any other target ends the run. */
async function runUnlessOtherFails({ note }: Measurement, target: Target, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (target.gateway !== 'other' || !(error instanceof ReadableError)) throw error
    note(`A step of ${target.title} has no figures. ${error.message}`)
  }
}

function samplesOf({ target, figures }: TargetFigures, round: number): Sample[] {
  return Object.entries(figures).map(([figure, value]) => ({ target: target.id, figure, round, value }))
}

function describeFigures(figures: Figures): string {
  return Object.entries(figures)
    .filter(([figure, value]) => figure !== failedFigure || value > 0)
    .map(([figure, value]) => `${figure} ${format(value)}`)
    .join(', ')
}
