import type { Browser, BrowserContext, Page } from 'playwright-core'

/* What a page measures of itself, with the observers of the browser. */

interface Timings {
  /** Milliseconds from the start of the load to the largest paint so far; null before one. */
  readonly lcp: number | null
  /** The longest event of each interaction, milliseconds. */
  readonly interactions: readonly number[]
}

/** Runs in the page before its own scripts. Chromium reports events from 16 ms on; shorter ones count as 16. */
const observe = `(() => {
  const found = { lcp: null, byId: {} }
  window.timings = found
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) found.lcp = entry.startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) found.byId[interactionId] = Math.max(found.byId[interactionId] ?? 0, duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })
})()`

export function observeTimings(context: BrowserContext): Promise<unknown> {
  return context.addInitScript({ content: observe })
}

export async function timingsOf(page: Page): Promise<Timings> {
  const found = (await page.evaluate(
    '({ lcp: window.timings.lcp, interactions: Object.values(window.timings.byId) })',
  )) as Timings
  return found
}

interface ColdLoad {
  readonly url: string
  readonly storage: Awaited<ReturnType<BrowserContext['storageState']>>
  /** How many times slower the processor is made. */
  readonly slowdown: number
}

/** Milliseconds to the largest paint of a page in a new browser, without anything in its cache. */
export async function coldLcp(browser: Browser, { url, storage, slowdown }: ColdLoad): Promise<number> {
  const context = await browser.newContext({ storageState: storage, viewport: { width: 1280, height: 800 } })
  await observeTimings(context)
  const page = await context.newPage()
  if (slowdown > 1) {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  }
  await page.goto(url)
  await page.locator('main:not(:has([aria-busy="true"])) h1').first().waitFor()
  await page.waitForTimeout(300)
  const { lcp } = await timingsOf(page)
  await context.close()
  if (lcp === null) throw new Error(`${url} has no largest paint`)
  return lcp
}
