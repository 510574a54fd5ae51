import { eventsPerStream } from '../canned-upstream/answers.ts'
import { chatBody } from '../load/chat-body.ts'
import type { ClosedLoopResult, LoadRequest } from '../load/load-job.ts'
import { runClosedLoop, runOpenLoop, toleratedFailures } from '../load/run-load.ts'
import { runWrk } from '../load/run-wrk.ts'
import type { StepId } from '../options.ts'
import { connections, type Plan, streamsPerSecond } from '../plan.ts'
import type { Target } from '../targets/target.ts'
import { busyMsOfCore, cpuIsReadable, cpuMsOf, sumMs, untilIdle } from './cpu-clock.ts'
import { percentile } from './percentile.ts'

/** What one step measures at one target, by figure. */
export type Figures = Readonly<Record<string, number>>

export interface MeasureOptions {
  readonly target: Target
  /** The upstream itself, which "added" is measured against. */
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

/** Not of the target but of the machine: how much anything else disturbed it, percent of the target's core. */
export const othersFigure = 'others-percent'

/** Requests of a step that were not answered with a whole 200. */
export const failedFigure = 'failed-requests'

/** How each step measures one target. */
export const steps: Readonly<Record<StepId, (options: MeasureOptions) => Promise<Figures>>> = {
  chat: measureChat,
  prompt64k: measurePrompt,
  stream: measureStream,
  latency: measureLatency,
  ttfb: measureFirstByte,
}

/** Requests of every kind, until V8 has compiled what they run through; the first ones may time out. */
export async function warmUp(target: Target, { warmUp: requests }: Plan): Promise<void> {
  for (const kind of ['chat', 'prompt64k', 'stream'] as const) {
    const job = { request: requestOf(target, kind), connections: connections[kind], requests: requests[kind] }
    toleratedFailures(`warming up ${target.title} (${kind})`, await runClosedLoop(job), 0.01)
  }
}

async function measureChat(options: MeasureOptions): Promise<Figures> {
  const { cpu, perSecond, machine } = await closedLoop(options, 'chat')
  return { ...inTotalAndByProcess('chat-cpu-us', cpu), 'chat-per-second': perSecond, ...machine }
}

async function measurePrompt(options: MeasureOptions): Promise<Figures> {
  const { cpu, machine } = await closedLoop(options, 'prompt64k')
  return { ...inTotalAndByProcess('prompt64k-cpu-us', cpu), ...machine }
}

/** The cost of the request itself is shared by the events of its stream. */
async function measureStream(options: MeasureOptions): Promise<Figures> {
  const { cpu, machine } = await closedLoop(options, 'stream')
  return { ...inTotalAndByProcess('stream-event-cpu-us', cpu, eventsPerStream), ...machine }
}

async function measureLatency(options: MeasureOptions): Promise<Figures> {
  const { target, direct, rate, plan } = options
  const job = { ratePerSecond: rate, seconds: plan.seconds.latency, seed: options.seed }
  const lanes = [requestOf(target, 'chat'), requestOf(direct, 'chat')]
  const [through, past] = await runOpenLoop({ ...job, lanes })
  const failed = toleratedFailures(`${target.title} (latency)`, totals([through, past]))
  return { ...added('latency', through?.latencyMs ?? [], past?.latencyMs ?? []), [failedFigure]: failed }
}

async function measureFirstByte(options: MeasureOptions): Promise<Figures> {
  const { target, direct, plan } = options
  const job = { ratePerSecond: streamsPerSecond, seconds: plan.seconds.ttfb, seed: options.seed }
  const lanes = [requestOf(target, 'stream'), requestOf(direct, 'stream')]
  const [through, past] = await runOpenLoop({ ...job, lanes })
  const failed = toleratedFailures(`${target.title} (ttfb)`, totals([through, past]))
  return { ...added('ttfb', through?.firstByteMs ?? [], past?.firstByteMs ?? []), [failedFigure]: failed }
}

type LoadKind = keyof typeof connections

interface ClosedLoop {
  /** Microseconds per request of each process, work that outlives the last request included; empty where unreadable. */
  readonly cpu: Figures
  readonly perSecond: number
  readonly machine: Figures
}

async function closedLoop(options: MeasureOptions, kind: LoadKind): Promise<ClosedLoop> {
  const { target, targetCore } = options
  const before = readClocks(options)
  const result = await load(options, kind)
  const failed = { [failedFigure]: toleratedFailures(`${target.title} (${kind})`, result) }
  const { requests, perSecond } = result
  if (!cpuIsReadable) return { cpu: {}, perSecond, machine: failed }
  await untilIdle(target.processes)
  const after = readClocks(options)
  const usedMs = Object.entries(after.cpuMs).map(([name, ms]) => [name, ms - (before.cpuMs[name] ?? 0)] as const)
  const cpu = Object.fromEntries(usedMs.map(([name, ms]) => [name, (ms * 1_000) / requests]))
  const targetMs = target.id === 'direct' ? 0 : usedMs.reduce((sum, [, ms]) => sum + ms, 0)
  const othersMs = Math.max(0, after.coreMs - before.coreMs - targetMs)
  const others = { [othersFigure]: (100 * othersMs) / (after.atMs - before.atMs) }
  return { cpu, perSecond, machine: targetCore === null ? failed : { ...others, ...failed } }
}

function readClocks({ target, targetCore }: MeasureOptions): { cpuMs: Figures; coreMs: number; atMs: number } {
  const coreMs = cpuIsReadable && targetCore !== null ? busyMsOfCore(targetCore) : 0
  return { cpuMs: cpuIsReadable ? cpuMsOf(target.processes) : {}, coreMs, atMs: performance.now() }
}

/** `name` for all processes together, `name of edge` for each of several. */
function inTotalAndByProcess(name: string, cpu: Figures, parts = 1): Figures {
  const entries = Object.entries(cpu)
  if (entries.length === 0) return {}
  const byProcess = entries.map(([process, us]) => [`${name} of ${process}`, us / parts] as const)
  return { [name]: sumMs(cpu) / parts, ...(entries.length === 1 ? {} : Object.fromEntries(byProcess)) }
}

/** Streams go through our own generator: it waits for the last ones, and checks that every one was whole. */
function load({ target, plan, hasWrk, folder }: MeasureOptions, kind: LoadKind): Promise<ClosedLoopResult> {
  const job = { request: requestOf(target, kind), connections: connections[kind], seconds: plan.seconds[kind] }
  return hasWrk && kind !== 'stream' ? runWrk({ ...job, folder }) : runClosedLoop(job)
}

function requestOf({ url, headers }: Target, kind: LoadKind): LoadRequest {
  const promptBytes = kind === 'prompt64k' ? 64 * kilobyte : kilobyte
  return { url, headers, body: chatBody({ promptBytes, stream: kind === 'stream' }) }
}

/** Differences of percentiles of two samples that were taken in one window, and the percentiles themselves. */
function added(name: string, through: readonly number[], past: readonly number[]): Figures {
  const figures: Record<string, number> = {}
  for (const share of [0.5, 0.95, 0.99]) {
    const label = `${name}-p${share * 100}-ms`
    figures[label] = percentile(through, share)
    figures[`added-${label}`] = percentile(through, share) - percentile(past, share)
  }
  return figures
}

function totals(lanes: readonly ({ failures: number; latencyMs: readonly number[] } | undefined)[]) {
  const failures = lanes.reduce((sum, lane) => sum + (lane?.failures ?? 0), 0)
  return { failures, requests: Math.min(...lanes.map((lane) => lane?.latencyMs.length ?? 0)) }
}
