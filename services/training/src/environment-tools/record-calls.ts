import { clusteredMeanInterval } from '@ratchet/stats/clustered-mean-interval'
import { type Comparison, comparedText, createNearest, keyOfText, wordsOf } from './compared-call.ts'
import type { Recording } from './environment-tool.ts'
import type { ObservedCall } from './observed-calls.ts'

export interface Recorded {
  /** The most frequent calls first, at most `maxRecordings`. */
  readonly recordings: readonly Recording[]
  /** Number of distinct calls. */
  readonly distinct: number
  /** Distinct calls with more than one answer. */
  readonly conflicting: number
}

type RecordableCall = Omit<ObservedCall, 'length'>

/** Keeps the most frequent answer of each distinct call; of equals, the one that was seen first. Takes a step for each call. */
export function* recordCalls(
  calls: readonly RecordableCall[],
  comparison: Comparison,
  maxRecordings: number,
): Generator<void, Recorded> {
  const groups = new Map<string, Group>()
  for (const call of calls) {
    const compared = comparedText(call.arguments, comparison)
    const group = groups.get(compared) ?? { compared, first: call, answers: new Map() }
    group.answers.set(call.result, (group.answers.get(call.result) ?? 0) + 1)
    groups.set(compared, group)
    yield
  }
  const all = [...groups.values()].map(recordingOf)
  return {
    // A stable sort: of equally frequent calls the first ones stay.
    recordings: all.sort((a, b) => b.seen - a.seen).slice(0, maxRecordings),
    distinct: groups.size,
    conflicting: [...groups.values()].filter(({ answers }) => answers.size > 1).length,
  }
}

interface Group {
  readonly compared: string
  readonly first: RecordableCall
  /** How often each answer was seen. */
  readonly answers: Map<string, number>
}

function recordingOf({ compared, first, answers }: Group): Recording {
  let [result, seen] = [first.result, 0]
  for (const [answer, times] of answers) if (times > seen) [result, seen] = [answer, times]
  return { key: keyOfText(compared), compared, arguments: JSON.stringify(first.arguments), result, seen }
}

export interface Coverage {
  readonly calls: number
  /** Null without calls. */
  readonly rate: number | null
  /** 95 % interval; null with fewer than two traces. */
  readonly interval: readonly [low: number, high: number] | null
}

/** One of so many traces is left out. */
const leftOutOf = 5
/** Calls that are looked up among the others. */
const maxLookedUp = 2_000

/**
 * Which share of the calls of traces that are left out would have a recording, if only the others were recorded. What decides
 * is the id of the trace, so that the calls of a run stay together. Takes a step for each call.
 */
export function* coverageOnHoldout(
  calls: readonly RecordableCall[],
  comparison: Comparison,
  maxRecordings: number,
): Generator<void, Coverage> {
  const others = calls.filter((call) => !isLeftOut(call))
  const { recordings } = yield* recordCalls(others, comparison, maxRecordings)
  const find = finderOf(recordings, comparison)
  const hits = new Map<string, number[]>()
  for (const call of calls.filter(isLeftOut).slice(0, maxLookedUp)) {
    yield
    const ofTrace = hits.get(call.traceId) ?? []
    ofTrace.push(find(comparedText(call.arguments, comparison)) === null ? 0 : 1)
    hits.set(call.traceId, ofTrace)
  }
  const all = [...hits.values()].flat()
  const rate = all.length === 0 ? null : all.reduce((sum, hit) => sum + hit, 0) / all.length
  const interval = clusteredMeanInterval([...hits.values()])
  return {
    calls: all.length,
    rate,
    interval: interval === null ? null : [Math.max(0, interval.low), Math.min(1, interval.high)],
  }
}

function isLeftOut({ traceId }: RecordableCall): boolean {
  return Number.parseInt(keyOfText(traceId).slice(0, 8), 16) % leftOutOf === 0
}

/** Words by which the recordings of a tool are compared, the first recordings first: they stay in memory. */
const maxWords = 300_000

/** Finds the recording of a call by the text that is compared; null when there is none. */
export function finderOf<R extends Pick<Recording, 'key' | 'compared'>>(
  recordings: readonly R[],
  { match }: Pick<Comparison, 'match'>,
): (compared: string) => R | null {
  const byKey = new Map(recordings.map((recording) => [recording.key, recording]))
  if (match !== 'nearest') return (compared) => byKey.get(keyOfText(compared)) ?? null
  let words = 0
  const sets: ReadonlySet<string>[] = []
  for (const { compared } of recordings) {
    if (words >= maxWords) break
    const set = wordsOf(compared)
    words += set.size
    sets.push(set)
  }
  const nearest = createNearest(sets)
  return (compared) => byKey.get(keyOfText(compared)) ?? recordings[nearest(wordsOf(compared)) ?? -1] ?? null
}

export interface ArgumentSeen {
  readonly name: string
  readonly calls: number
  readonly distinct: number
}

const maxShownArguments = 50
/** Values of arguments that are counted. */
const maxCountedValues = 200_000

/** The arguments of calls, the most frequent first. Takes a step for each call. */
export function* argumentsSeen(calls: readonly RecordableCall[]): Generator<void, readonly ArgumentSeen[]> {
  const values = new Map<string, { calls: number; readonly distinct: Set<string> }>()
  let counted = 0
  for (const call of calls) {
    counted += Object.keys(call.arguments).length
    if (counted > maxCountedValues) break
    yield
    for (const [name, value] of Object.entries(call.arguments)) {
      const seen = values.get(name) ?? { calls: 0, distinct: new Set<string>() }
      seen.calls += 1
      seen.distinct.add(keyOfText(JSON.stringify(value)))
      values.set(name, seen)
    }
  }
  return [...values]
    .map(([name, seen]) => ({ name: name.slice(0, 200), calls: seen.calls, distinct: seen.distinct.size }))
    .sort((a, b) => b.calls - a.calls)
    .slice(0, maxShownArguments)
}
