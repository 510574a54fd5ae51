import type { Terminal } from '@ratchet/infra/terminal/terminal'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { fromHere } from './from-here.ts'
import { cpuIsReadable, peakResidentMb } from './measure/cpu-clock.ts'
import { failedFigure, type MeasureOptions, steps, warmUp } from './measure/measure-target.ts'
import { median } from './measure/percentile.ts'
import { type Sample, summarize } from './measure/sample.ts'
import { shuffled } from './measure/shuffled.ts'
import { type Figures, othersFigure } from './measure/watch-cpu.ts'
import type { BenchOptions, StepId } from './options.ts'
import { type Plan, planOf } from './plan.ts'
import { memoryFigure } from './report/figures.ts'
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

export type Measured = Pick<Report, 'rounds' | 'targets' | 'fleetProcesses' | 'samples' | 'notes'>

/** Seed of the order of the targets, which is shuffled for each step of each round and is equal in all runs. */
const seed = 20_260_131

/** Steps in which "added" is a difference to the upstream, so there is nothing to measure at the upstream itself. */
const againstDirect: ReadonlySet<StepId> = new Set(['latency', 'ttfb'])

/** Share of the targets' core used by other processes above which the figures are not those of a quiet machine. */
const disturbedPercent = 5

/** Starts and warms up all targets, measures them in rounds, and returns the values. */
export async function runBench(run: BenchRun): Promise<Measured> {
  const { options, terminal } = run
  const plan = planOf(options)
  const notes: string[] = []
  const targets = await startTargets({
    ...run,
    requested: options.targets,
    ...(options.profile === undefined ? {} : { profile: fromHere(options.profile) }),
    note(text) {
      notes.push(text)
      terminal.line(`▸ ${text}`)
    },
  })
  for (const target of targets) await terminal.step(`warming up ${target.title}`, () => warmUp(target, plan))
  const samples = [...(await measureRounds(run, plan, targets)), ...memorySamples(targets, options.rounds)]
  const fleet = targets.find(({ id }) => id === 'fleet')
  if (fleet?.describeWork !== undefined) notes.push(await fleet.describeWork())
  if (!cpuIsReadable) notes.push('CPU and memory are not available on this system (no /proc).')
  if (!run.hasWrk) notes.push('wrk was not there: the most requests per second may be those of our own generator.')
  notes.push(
    ...describeFailures(samples),
    ...describeOthers(samples),
    ...describeUpstream(samples),
    ...describeParts(samples, fleet),
  )
  return {
    rounds: options.rounds,
    targets: targets.map(({ id }) => id),
    fleetProcesses: Object.keys(fleet?.httpProcesses ?? {}),
    samples,
    notes,
  }
}

async function measureRounds(run: BenchRun, plan: Plan, targets: readonly Target[]): Promise<Sample[]> {
  const random = seededRandom(seed)
  const samples: Sample[] = []
  for (let round = 1; round <= run.options.rounds; round += 1) {
    for (const step of run.options.steps) {
      const measured = targets.filter(({ id }) => id !== 'direct' || !againstDirect.has(step))
      for (const target of shuffled(measured, random)) {
        const figures = await measureStep({ run, plan, targets, target, step, round })
        for (const [figure, value] of Object.entries(figures)) {
          samples.push({ target: target.id, figure, round, value })
        }
      }
    }
  }
  return samples
}

interface StepOfRound {
  readonly run: BenchRun
  readonly plan: Plan
  readonly targets: readonly Target[]
  readonly target: Target
  readonly step: StepId
  readonly round: number
}

function measureStep({ run, plan, targets, target, step, round }: StepOfRound): Promise<Figures> {
  const { options, terminal } = run
  const direct = targets.find(({ id }) => id === 'direct') ?? target
  const measure: MeasureOptions = { ...run, target, direct, plan, rate: options.rate, seed: seed + round }
  const title = `round ${round} of ${options.rounds}, ${step}, ${target.title}`
  return terminal.step(title, () => steps[step](measure), describeFigures)
}

function describeFigures(figures: Figures): string {
  return Object.entries(figures)
    .filter(([figure, value]) => figure !== failedFigure || value > 0)
    .map(([figure, value]) => `${figure} ${format(value)}`)
    .join(', ')
}

function memorySamples(targets: readonly Target[], round: number): Sample[] {
  if (!cpuIsReadable) return []
  return targets.flatMap(({ id, httpProcesses }) =>
    Object.entries(httpProcesses).map(([name, pid]) => ({
      target: id,
      figure: memoryFigure(name),
      round,
      value: peakResidentMb(pid),
    })),
  )
}

function describeFailures(samples: readonly Sample[]): string[] {
  const failed = samples.filter(({ figure, value }) => figure === failedFigure && value > 0)
  const count = failed.reduce((sum, { value }) => sum + value, 0)
  const where = [...new Set(failed.map(({ target }) => target))].join(', ')
  return failed.length === 0 ? [] : [`${count} requests were not answered with a whole 200 (${where}).`]
}

/** On a shared core all work costs more, because caches are cold and each wake-up does less work. */
function describeOthers(samples: readonly Sample[]): string[] {
  const shares = samples.filter(({ figure }) => figure === othersFigure).map(({ value }) => value)
  if (shares.length === 0 || median(shares) < disturbedPercent) return []
  return [`Other programs had ${format(median(shares))} % of the targets' core: only the ratios mean anything.`]
}

function describeUpstream(samples: readonly Sample[]): string[] {
  const cost = summarize(samples, 'direct', 'chat-cpu-us')
  if (cost === null) return []
  return [`The scripted upstream itself, counted nowhere above, costs ${format(cost.median)} µs per request.`]
}

function describeParts(samples: readonly Sample[], fleet: Target | undefined): string[] {
  const parts = Object.keys(fleet?.processes ?? {}).flatMap((name) => {
    const part = summarize(samples, 'fleet', `chat-cpu-us of ${name}`)
    return part === null ? [] : [`${name} ${format(part.median)}`]
  })
  return parts.length === 0 ? [] : [`Of Ratchet's CPU per request, in µs: ${parts.join(', ')}.`]
}
