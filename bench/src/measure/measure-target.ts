import { eventsPerStream } from '../canned-upstream/answers.ts'
import { type ChatBodyOptions, chatBody } from '../load/chat-body.ts'
import type { ClosedLoopResult, LaneResult, LoadRequest } from '../load/load-job.ts'
import { runClosedLoop, runOpenLoop, toleratedFailures } from '../load/run-load.ts'
import { runWrk } from '../load/run-wrk.ts'
import type { StepId } from '../options.ts'
import { connections, type LoadKind, type Plan, streamsPerSecond } from '../plan.ts'
import type { Target } from '../targets/target.ts'
import { percentile } from './percentile.ts'
import { cpuFigures, type Figures, watchCpu } from './watch-cpu.ts'

export interface MeasureOptions {
  readonly target: Target
  /** The upstream itself. Added times are differences to its times. */
  readonly direct: Target
  readonly plan: Plan
  /** Arrivals per second of the open loop. */
  readonly rate: number
  readonly seed: number
  readonly hasWrk: boolean
  /** The one core that the targets run on; null when they are not pinned. */
  readonly targetCore: string | null
  /** For scripts. */
  readonly folder: string
}

const kilobyte = 1_024

const prompts: Readonly<Record<LoadKind, ChatBodyOptions>> = {
  chat: { words: 'prose', promptBytes: kilobyte, stream: false },
  prompt64k: { words: 'prose', promptBytes: 64 * kilobyte, stream: false },
  secrets64k: { words: 'secrets', promptBytes: 64 * kilobyte, stream: false },
  stream: { words: 'prose', promptBytes: kilobyte, stream: true },
}
const loadKinds = ['chat', 'prompt64k', 'secrets64k', 'stream'] as const

/** Requests of a step without a complete answer of status 200. */
export const failedFigure = 'failed-requests'

/** Steps that send requests to one target. */
export type LoadStep = Exclude<StepId, 'idle'>

/** How each step measures one target. */
export const steps: Readonly<Record<LoadStep, (options: MeasureOptions) => Promise<Figures>>> = {
  chat: measureChat,
  prompt64k: (options) => measurePrompt(options, 'prompt64k'),
  secrets64k: (options) => measurePrompt(options, 'secrets64k'),
  stream: measureStream,
  latency: measureLatency,
  ttfb: measureFirstByte,
}

/** Sends requests of every kind until V8 has compiled the code that serves them. The first ones may time out. */
export async function warmUp(target: Target, { warmUp: requests }: Plan): Promise<void> {
  for (const kind of loadKinds) {
    const count = Math.ceil(requests[kind] * (target.warmUpShare ?? 1))
    const job = { request: requestOf(target, kind), connections: connections[kind], requests: count }
    toleratedFailures(`warming up ${target.title} (${kind})`, await runClosedLoop(job), 0.01)
  }
  await target.drained?.()
}

async function measureChat(options: MeasureOptions): Promise<Figures> {
  const { result, figures } = await closedLoop(options, { kind: 'chat', figure: 'chat-cpu-us' })
  return { ...figures, 'chat-per-second': result.perSecond }
}

async function measurePrompt(options: MeasureOptions, kind: 'prompt64k' | 'secrets64k'): Promise<Figures> {
  return (await closedLoop(options, { kind, figure: `${kind}-cpu-us` })).figures
}

/** The cost of the request itself is shared by the events of its stream. */
async function measureStream(options: MeasureOptions): Promise<Figures> {
  const step = { kind: 'stream', figure: 'stream-event-cpu-us', parts: eventsPerStream } as const
  return (await closedLoop(options, step)).figures
}

async function measureLatency(options: MeasureOptions): Promise<Figures> {
  const { rate, plan } = options
  const load = { kind: 'chat', ratePerSecond: rate, seconds: plan.seconds.latency } as const
  const { through, past, figures } = await openLoop(options, load)
  return { ...added('latency', through.latencyMs, past.latencyMs), ...figures('latency-cpu-us') }
}

async function measureFirstByte(options: MeasureOptions): Promise<Figures> {
  const load = { kind: 'stream', ratePerSecond: streamsPerSecond, seconds: options.plan.seconds.ttfb } as const
  const { through, past, figures } = await openLoop(options, load)
  return { ...added('ttfb', through.firstByteMs, past.firstByteMs), ...figures('ttfb-cpu-us') }
}

async function closedLoop(
  options: MeasureOptions,
  { kind, figure, parts = 1 }: { kind: LoadKind; figure: string; parts?: number },
): Promise<{ result: ClosedLoopResult; figures: Figures }> {
  const { target, targetCore: core } = options
  const { result, use } = await watchCpu({ target, core }, () => load(options, kind))
  const failed = toleratedFailures(`${target.title} (${kind})`, result)
  const cpu = cpuFigures(figure, use, result.requests * parts)
  return { result, figures: { ...cpu, ...use.others, [failedFigure]: failed } }
}

/** Measures the target and, in the same window, the upstream. */
async function openLoop(
  options: MeasureOptions,
  { kind, ...load }: { kind: LoadKind; ratePerSecond: number; seconds: number },
): Promise<{ through: LaneResult; past: LaneResult; figures: (cpu: string) => Figures }> {
  const { target, direct, seed, targetCore: core } = options
  const job = { ...load, seed, lanes: [requestOf(target, kind), requestOf(direct, kind)] }
  const { result, use } = await watchCpu({ target, core }, () => runOpenLoop(job))
  const [through, past] = result
  if (through === undefined || past === undefined) throw new Error('the open loop lost a lane')
  const failures = through.failures + past.failures
  const requests = through.latencyMs.length
  const failed = toleratedFailures(`${target.title} (open loop, ${kind})`, { failures, requests })
  return { through, past, figures: (cpu) => ({ ...cpuFigures(cpu, use, requests), [failedFigure]: failed }) }
}

/**
 * wrk aborts its last requests, which cost CPU and are not counted: at the speed of a gateway that changes the figures, at
 * that of a plain proxy it does not. Our own generator waits for every answer, and checks that each stream is complete.
 */
function load({ target, plan, hasWrk, folder }: MeasureOptions, kind: LoadKind): Promise<ClosedLoopResult> {
  const job = { request: requestOf(target, kind), connections: connections[kind], seconds: plan.seconds[kind] }
  return hasWrk && kind === 'chat' && target.gateway === undefined ? runWrk({ ...job, folder }) : runClosedLoop(job)
}

function requestOf({ url, headers }: Target, kind: LoadKind): LoadRequest {
  return { url, headers, body: chatBody(prompts[kind]) }
}

/** Percentiles of two samples from one window, and their differences. */
function added(name: string, through: readonly number[], past: readonly number[]): Figures {
  const figures: Record<string, number> = {}
  for (const share of [0.5, 0.95, 0.99]) {
    const label = `${name}-p${share * 100}-ms`
    figures[label] = percentile(through, share)
    figures[`added-${label}`] = percentile(through, share) - percentile(past, share)
  }
  return figures
}
