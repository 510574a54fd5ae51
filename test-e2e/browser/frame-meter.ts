import type { CDPSession, Page } from 'playwright-core'

export interface FrameFigures {
  readonly frames: number
  readonly perSecond: number
  readonly longestMs: number
  /** Processor time of the page's main thread. Other programs on the machine do not change it. */
  readonly cpuMsPerFrame: number
  /** Bytes by which the heap is larger than before, without garbage. */
  readonly heapGrowth: number
}

const count = `(() => {
  const times = []
  const note = (time) => { times.push(time); window.frameRequest = requestAnimationFrame(note) }
  window.frameTimes = times
  window.frameRequest = requestAnimationFrame(note)
})()`
const stop = 'cancelAnimationFrame(window.frameRequest), window.frameTimes'

/** Counts the frames of a page, and what they cost, while something happens in it. */
export async function meterFrames(page: Page, act: () => Promise<void>): Promise<FrameFigures> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const heapBefore = await heapOf(session)
  const cpuBefore = (await metricsOf(session)).get('TaskDuration') ?? 0
  await page.evaluate(count)
  await act()
  const times = (await page.evaluate(stop)) as number[]
  const cpuSeconds = ((await metricsOf(session)).get('TaskDuration') ?? 0) - cpuBefore
  const heapGrowth = (await heapOf(session)) - heapBefore
  await session.detach()
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000
  return {
    frames: gaps.length,
    perSecond: gaps.length / seconds,
    longestMs: Math.max(...gaps),
    cpuMsPerFrame: (1_000 * cpuSeconds) / gaps.length,
    heapGrowth,
  }
}

async function metricsOf(session: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics } = await session.send('Performance.getMetrics')
  return new Map(metrics.map(({ name, value }) => [name, value]))
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  return (await metricsOf(session)).get('JSHeapUsedSize') ?? 0
}
