import { readFileSync } from 'node:fs'
import { percentile } from '../measure/percentile.ts'
import type { ReadCase } from './cases.ts'

export interface Caller {
  readonly url: string
  readonly apiKey: string
}

/** Milliseconds from the request to the last byte of the answer. */
export interface ReadFigure {
  readonly name: string
  readonly p50: number
  readonly p95: number
  readonly bytes: number
}

/** Requests every case once in each round, one request at a time. The first round is a warm-up. */
export async function measureReads(
  caller: Caller,
  cases: readonly ReadCase[],
  rounds: number,
): Promise<readonly ReadFigure[]> {
  const samples = new Map(cases.map(({ name }) => [name, { times: [] as number[], bytes: 0 }]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, path } of cases) {
      const startedAt = performance.now()
      const response = await fetch(`${caller.url}${path}`, headersOf(caller))
      const body = await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${Buffer.from(body).toString()}`)
      const sample = samples.get(name)
      if (sample === undefined || round === 0) continue
      sample.times.push(performance.now() - startedAt)
      sample.bytes = body.byteLength
    }
  }
  return [...samples].map(([name, { times, bytes }]) => ({
    name,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    bytes,
  }))
}

export interface ExportFigure {
  readonly lines: number
  readonly bytes: number
  readonly seconds: number
  /** Memory of the service before and during the export; null where /proc does not exist. */
  readonly memoryMb: readonly [before: number, peak: number] | null
}

/** Reads a whole export and measures the memory of the service meanwhile. */
export async function measureExport(caller: Caller, pid: number): Promise<ExportFigure> {
  const before = residentMb(pid)
  let [lines, bytes, peak] = [0, 0, before ?? 0]
  const startedAt = performance.now()
  const response = await fetch(`${caller.url}/v1/logs/export`, headersOf(caller))
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    for (const byte of chunk) if (byte === 10) lines += 1
    peak = Math.max(peak, residentMb(pid) ?? 0)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  return { lines, bytes, seconds, memoryMb: before === null ? null : [before, peak] }
}

function residentMb(pid: number): number | null {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
  } catch {
    return null
  }
}

function headersOf({ apiKey }: Caller): RequestInit {
  return { headers: { authorization: `Bearer ${apiKey}` } }
}
